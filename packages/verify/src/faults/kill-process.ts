import type { BenchProcess } from '../processes/bench-process.js';
import type { Fault } from './fault.js';

function kill(role: BenchProcess['role']): Fault {
  return {
    name: `kill-${role}`,
    needs: ['processes'],
    allows: ['rerun', 'delay'],
    async inject(scene, random) {
      const victim = scene.pickProcess(role, (all) => random.pick(all));
      if (!victim) {
        return;
      }
      const record = scene.record([victim.name], 'SIGKILL');
      victim.signal('SIGKILL');
      await victim.ended;
      record.end();
    },
  };
}

/** Ends a worker at once, in the middle of whatever it does. Another one takes its place. */
export const killWorker = kill('worker');

/** The same to a producer, also between a statement and its COMMIT. */
export const killProducer = kill('producer');
