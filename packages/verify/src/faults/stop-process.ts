import { spawn } from 'node:child_process';

import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';

/** How many leases it lasts: long enough that other workers take over the jobs. */
const LEASES = { least: 1.5, most: 2 } as const;
/** How long after the end of the fault a stopped process continues if verify has died meanwhile, in s. */
const RESCUE_DELAY = 60;

/**
 * Stops a worker in the middle of its handlers for longer than its lease, and lets it continue. Its jobs run on other
 * workers by then, so its later changes to them must be rejected.
 */
export const stopProcess: Fault = {
  name: 'stop-worker',
  needs: ['processes'],
  allows: ['rerun', 'delay'],
  async inject(context, random, signal) {
    const length = Math.round(context.lease * (LEASES.least + random.next() * (LEASES.most - LEASES.least)));
    const victim = context.pickProcess('worker', random);
    if (!victim) {
      return;
    }
    const active = context.begin([victim.name], `SIGSTOP for ${length} ms`);
    // A stopped process does not notice the death of its parent.
    const delay = RESCUE_DELAY + Math.ceil(length / 1000);
    const rescue = spawn('sh', ['-c', `sleep ${delay}; kill -CONT ${victim.pid}`], { stdio: 'ignore', detached: true });
    rescue.unref();
    victim.signal('SIGSTOP');
    try {
      await sleepUnlessAborted(length, signal);
    } finally {
      victim.signal('SIGCONT');
      process.kill(-rescue.pid!, 'SIGKILL');
      active.end();
    }
  },
};
