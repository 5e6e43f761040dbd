/* A worker. */
import { type JobHandler, TableQueueWorker, type WorkerOptions } from '@tablequeue/typeorm';

import { historyHandler } from '../workload/event-handlers.js';
import { orderedHandlers, recordEvents, workerHandlers } from '../workload/handlers.js';
import { startLater } from './start-later.js';
import { runProcess } from './run-process.js';

/**
 * Short, so that dead workers and wrong times are found during the run. The pruner would repair rows that a fault of
 * the queue has left, and so hide that fault.
 */
const MAINTENANCE = { reaper: '500ms', retrier: '500ms', scheduler: '500ms', pruner: '24d' } as const;

/** One of the workers has the subscription that is registered during the load. */
const SUBSCRIBER = 'worker-1';

await runProcess(async ({ config, journal, dataSource, queue }) => {
  const start = async (handlers: readonly JobHandler[], options: WorkerOptions): Promise<TableQueueWorker> => {
    const worker = new TableQueueWorker(queue, handlers, {
      lease: config.lease,
      maintenance: MAINTENANCE,
      // Finished jobs are read at the end of the run.
      retention: false,
      shutdownTimeout: '10s',
      ...options,
    });
    recordEvents(worker, journal);
    await worker.start();
    return worker;
  };
  const worker = await start(workerHandlers(queue, journal, config.name), {
    concurrency: config.concurrency,
  });
  try {
    // Required for a strict order: SKIP LOCKED skips a job whose row another session has locked.
    const inOrder = dataSource.options.type === 'better-sqlite3' ? {} : ({ claimStrategy: 'named-lock' } as const);
    const ordered = await start(orderedHandlers(journal, config.producers), { concurrency: 1, ...inOrder });
    const subscribe = async () => {
      const history = await start([historyHandler(journal)], { concurrency: config.concurrency, maintenance: false });
      journal.write({ event: 'subscribed' });
      return history;
    };
    const history = config.slot === SUBSCRIBER ? startLater(config.subscribeAfter, subscribe) : undefined;
    return {
      producing: undefined,
      stopProducing: async () => undefined,
      stop: async () => void (await Promise.all([worker.stop(), ordered.stop(), history?.stop()])),
    };
  } catch (error) {
    await worker.stop();
    throw error;
  }
});
