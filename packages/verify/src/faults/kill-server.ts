import { sleepUnlessAborted } from '../timing/sleep-unless-aborted.js';
import type { Fault } from './fault.js';
import { runExclusively } from './run-exclusively.js';

function kill(name: string, downtime: { readonly least: number; readonly most: number }): Fault {
  return {
    name,
    needs: ['server', 'connection'],
    allows: ['rerun', 'delay'],
    async inject(context, random, signal) {
      const length = random.integer(downtime.least, downtime.most);
      await runExclusively(context.server!, async () => {
        if (signal.aborted) {
          return;
        }
        const active = context.begin('everyone', `the server is killed and started again after ${length} ms`);
        try {
          await context.server!.kill();
          await sleepUnlessAborted(length, signal);
        } finally {
          await context.server!.start();
          active.end();
        }
      });
    },
  };
}

/** Kills the server and starts it again. The server must be configured to lose no commit. */
export const killServer = kill('kill-server', { least: 0, most: 1_000 });

/** The same with a long downtime, as after a failure of the machine. */
export const slowRestart = kill('slow-restart', { least: 10_000, most: 13_000 });
