import type { VerifyProcess } from '../processes/verify-process.js';
import type { Fault } from './fault.js';

function kill(role: VerifyProcess['role']): Fault {
  return {
    name: `kill-${role}`,
    needs: ['processes'],
    allows: ['rerun', 'delay'],
    async inject(context, random) {
      const victim = context.pickProcess(role, random);
      if (!victim) {
        return;
      }
      const active = context.begin([victim.name], 'SIGKILL');
      victim.signal('SIGKILL');
      await victim.ended;
      active.end();
    },
  };
}

/** Kills a worker at any moment. The pool replaces it. */
export const killWorker = kill('worker');

/** Kills a producer at any moment, also between a statement and its COMMIT. */
export const killProducer = kill('producer');
