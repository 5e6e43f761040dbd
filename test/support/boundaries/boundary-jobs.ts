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

/**
 * The jobs of one queue: one that runs, fails once and runs again, and one whose effect is written in a transaction.
 */
export function boundaryJobs(queue: string) {
  return {
    plain: defineJob(`plain-${queue}`, { queue, retry: { attempts: 20, backoff: fixed(0) } }),
    effect: defineJob(`effect-${queue}`, { queue, retry: { attempts: 20, backoff: fixed(0) } }),
    follower: defineJob(`follower-${queue}`, { queue: `${queue}-next` }),
  };
}

/** Their handlers. Each run of the plain one leaves a row in `run`, by its own connection; the other one its effect. */
export function boundaryHandlers(queue: TableQueue, name: string, process: number): JobHandler[] {
  const { plain, effect, follower } = boundaryJobs(name);
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
  ];
}
