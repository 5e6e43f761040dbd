import { spawn } from 'node:child_process';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';

/** Half as long again as the lease, up to twice as long: others have taken its jobs over when it goes on. */
const LEASES = { least: 1.5, most: 2 } as const;
/** How much longer than it should a stopped process is left alone where nobody is left to let it go on, in s. */
const RESCUE = 60;

/**
 * Stops a worker for longer than its lease and lets it go on, in the middle of its handlers: its jobs run elsewhere by
 * then, and what it still does about them must be refused.
 */
export const stopProcess: Fault = {
  name: 'stop-worker',
  needs: ['processes'],
  allows: ['rerun', 'delay'],
  async inject(scene, random, signal) {
    const length = Math.round(scene.lease * (LEASES.least + random.next() * (LEASES.most - LEASES.least)));
    const victim = scene.pickProcess('worker', (all) => random.pick(all));
    if (!victim) {
      return;
    }
    const record = scene.record([victim.name], `SIGSTOP for ${length} ms`);
    // A process that is stopped does not see that its parent is gone.
    const rescue = spawn('sh', ['-c', `sleep ${RESCUE + Math.ceil(length / 1000)}; kill -CONT ${victim.pid}`], {
      stdio: 'ignore',
      detached: true,
    });
    rescue.unref();
    victim.signal('SIGSTOP');
    try {
      await sleepUnlessEnded(length, signal);
    } finally {
      victim.signal('SIGCONT');
      process.kill(-rescue.pid!, 'SIGKILL');
      record.end();
    }
  },
};
