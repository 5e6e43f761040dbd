import {
  type JobHandler,
  type TableQueue,
  defineJob,
  fixed,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import type { Engine } from '../../servers/engines.js';

/** Which worker process it is. */
export interface BoundaryConfig {
  readonly engine: Engine;
  readonly url: string;
  /** Its queue: `q` and a number. */
  readonly queue: string;
}

/** What durable jobs add to the number of their queue, for their rows in `run` and `note`. */
export const OF_STEPS = 1_000_000;

/**
 * The jobs of one queue: one that runs, fails once and runs again, one whose effect is written in a transaction, and one
 * with durable steps.
 */
export function boundaryJobs(queue: string) {
  return {
    plain: defineJob(`plain-${queue}`, { queue, retry: { attempts: 20, backoff: fixed(0) } }),
    effect: defineJob(`effect-${queue}`, { queue, retry: { attempts: 20, backoff: fixed(0) } }),
    durable: defineJob(`durable-${queue}`, { queue, retry: { attempts: 20, backoff: fixed(0) } }),
    follower: defineJob(`follower-${queue}`, { queue: `${queue}-next` }),
  };
}

/**
 * Their handlers. Each run of the plain one, and each call of the first step, leaves a row in `run`, by its own
 * connection. The transactional ones leave their effects.
 */
export function boundaryHandlers(queue: TableQueue, name: string, process: number): JobHandler[] {
  const { plain, effect, durable, follower } = boundaryJobs(name);
  const number = Number(name.slice(1));
  return [
    jobHandler(plain, async (_payload, { failures }) => {
      await queue.dataSource.query(`INSERT INTO run (job, process) VALUES (${number}, ${process})`);
      if (failures === 0) {
        throw new Error('not yet');
      }
    }),
    transactionalHandler(effect, async (_payload, { manager }) => {
      await manager.query(`INSERT INTO note (id, text) VALUES (${number}, 'effect')`);
      await queue.enqueue(follower, undefined, { manager });
    }),
    jobHandler(durable, async (_payload, job) => {
      await job.step('call', () =>
        queue.dataSource.query(`INSERT INTO run (job, process) VALUES (${number + OF_STEPS}, ${process})`),
      );
      await job.step(
        'write',
        async (manager) => {
          await manager.query(`INSERT INTO note (id, text) VALUES (${number + OF_STEPS}, 'step')`);
        },
        { transactional: true },
      );
      await job.sleep(1);
      await job.step('end', () => undefined);
    }),
  ];
}
