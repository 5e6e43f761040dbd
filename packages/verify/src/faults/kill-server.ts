import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';
import { runExclusively } from './run-exclusively.js';

function kill(name: string, down: { readonly least: number; readonly most: number }): Fault {
  return {
    name,
    needs: ['server', 'connection'],
    allows: ['rerun', 'delay'],
    async inject(scene, random, signal) {
      const length = random.whole(down.least, down.most);
      await runExclusively(scene.server!, async () => {
        if (signal.aborted) {
          return;
        }
        const open = scene.record('everyone', `the server is killed and started again after ${length} ms`);
        try {
          await scene.server!.kill();
          await sleepUnlessEnded(length, signal);
        } finally {
          await scene.server!.start();
          open.end();
        }
      });
    },
  };
}

/** Kills the server and starts it again. It has to be set up to lose no commit. */
export const killServer = kill('kill-server', { least: 0, most: 1_000 });

/** The same with a server that takes its time, as after a failure of the machine. */
export const slowRestart = kill('slow-restart', { least: 10_000, most: 13_000 });
