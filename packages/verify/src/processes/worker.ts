/* A worker of the bench. */
import { type JobHandler, TableQueueWorker, type WorkerOptions } from '@tablequeue/typeorm';

import { noteEvents, orderedHandlers, workerHandlers } from '../workload/handlers.js';
import { runInside } from './inside.js';

await runInside(async ({ config, journal, dataSource, queue }) => {
  const start = async (handlers: readonly JobHandler[], options: WorkerOptions): Promise<TableQueueWorker> => {
    const worker = new TableQueueWorker(queue, handlers, {
      lease: config.lease,
      // Dead workers are to be found while the bench looks on.
      maintenance: { reaper: '500ms', retrier: '500ms' },
      // What has ended is read when all is over.
      retention: false,
      shutdownTimeout: '10s',
      ...options,
    });
    noteEvents(worker, journal);
    await worker.start();
    return worker;
  };
  const worker = await start(workerHandlers(queue, journal, config.name), {
    concurrency: config.concurrency,
  });
  try {
    // Strict order is asked for by this: with SKIP LOCKED a job is passed over whose row somebody else looks at just then.
    const inOrder = dataSource.options.type === 'better-sqlite3' ? {} : ({ claimStrategy: 'named-lock' } as const);
    const ordered = await start(orderedHandlers(journal, config.producers), { concurrency: 1, ...inOrder });
    return {
      produced: undefined,
      produceNoMore: async () => undefined,
      stop: async () => void (await Promise.all([worker.stop(), ordered.stop()])),
    };
  } catch (error) {
    await worker.stop();
    throw error;
  }
});
