import { setTimeout as sleep } from 'node:timers/promises';

import type { Fault } from '@tablequeue/verify';
import { stopDuring } from '@tablequeue/verify/internal';

/** Locks the table of the jobs once, for longer than two tries of a completion, which wait for three seconds each. */
export const LOCKED_JOBS: Fault = {
  name: 'locked-jobs',
  needs: ['connection'],
  when: 'once',
  allows: ['rerun', 'delay'],
  async inject(context, _random, signal) {
    const session = await context.connect();
    // Until then the workers have started.
    await sleep(5_000, undefined, { signal }).catch(() => undefined);
    const active = context.begin('everyone', 'the table of the jobs is locked');
    try {
      await session.query(`LOCK TABLES ${context.tables.job} WRITE`);
      await sleep(8_000, undefined, { signal }).catch(() => undefined);
      await session.query('UNLOCK TABLES');
    } finally {
      active.end();
      await session.destroy();
    }
  },
};

/** How often it looks for a step, in ms. */
const LOOK = 20;

/** Stops a worker in its first step of a job until another worker has stored that step, again and again. */
export const STOPPED_STEPS: Fault = {
  name: 'stopped-steps',
  needs: ['processes', 'connection'],
  when: 'once',
  allows: ['rerun', 'delay'],
  async inject(context, _random, signal) {
    const { job, worker, prefix } = context.tables;
    const session = await context.connect();
    const findStep = `SELECT 1 FROM ${prefix}step step WHERE step.job_id = `;
    try {
      while (!signal.aborted) {
        const [held] = await session.query<{ id: Buffer; pid: number }[]>(
          `SELECT job.id, worker.pid FROM ${job} job JOIN ${worker} worker ON worker.id = job.owner
           WHERE job.state = 'running' AND job.name = 'durable' AND NOT EXISTS (${findStep} job.id) LIMIT 1`,
        );
        const victim = context.processes.running('worker').find(({ pid }) => pid === held?.pid);
        if (held && victim) {
          const longest = 4 * context.lease;
          const isStored = async () => (await session.query<unknown[]>(`${findStep} ?`, [held.id])).length > 0;
          await stopDuring(context, victim, 'until another worker has stored the step', longest, async () => {
            const until = performance.now() + longest;
            while (!signal.aborted && performance.now() < until && !(await isStored())) {
              await sleep(LOOK);
            }
          });
        }
        await sleep(LOOK);
      }
    } finally {
      await session.destroy();
    }
  },
};
