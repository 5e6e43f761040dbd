import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { Engine } from '../../servers/engines.js';
import { connectionOptions } from '../../support/connection-options.js';
import { BULK, inChunks } from '../in-chunks.js';
import { recreateTables } from '../recreate-tables.js';
import { STEP_RESULT, type StepsModule } from '../steps-subject.js';

const durableJob = defineJob<{ steps: number }>('bench.durable', { queue: 'durable' });

/** Tablequeue, through its public API. */
export const openSteps: StepsModule['openSteps'] = async (url, ground) => {
  const dataSource = await new DataSource(connectionOptions(ground as Engine, url)).initialize();
  const queue = new TableQueue(dataSource);
  return {
    reset: () => recreateTables(dataSource),
    async runSteps(jobs, steps, atATime) {
      await inChunks(
        Array.from({ length: jobs }, () => ({ payload: { steps } })),
        BULK,
        (chunk) => queue.enqueueMany(durableJob, chunk),
      );
      let left = jobs;
      let onDone: () => void;
      const done = new Promise<void>((resolve) => (onDone = resolve));
      const handler = jobHandler(durableJob, async (payload, job) => {
        for (let number = 0; number < payload.steps; number++) {
          await job.step(`step ${number}`, () => STEP_RESULT);
        }
      });
      const worker = new TableQueueWorker(queue, [handler], { concurrency: atATime });
      worker.events.on('succeeded', () => --left === 0 && onDone());
      await worker.start();
      await done;
      await worker.stop();
    },
    close: () => dataSource.destroy(),
  };
};
