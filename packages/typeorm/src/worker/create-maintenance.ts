import type { Engine } from '../engine/engine.js';
import type { QueueLogger } from '../logger.js';
import { Pruner } from '../maintenance/pruner/pruner.js';
import type { ExpiryListener } from '../maintenance/reaper/expire-jobs.js';
import { Reaper } from '../maintenance/reaper/reaper.js';
import { Retrier } from '../maintenance/retrier.js';
import { Scheduler } from '../maintenance/scheduler.js';
import { Ticker } from '../maintenance/ticker.js';
import type { RecurringJobs } from '../recurring/recurring-jobs.js';
import { stallListener } from './events/stall-listener.js';
import type { WorkerEventEmitter } from './events/worker-events.js';
import type { ResolvedWorkerOptions } from './worker-options.js';

/** The maintenance tasks of a worker. */
export interface WorkerMaintenance {
  readonly retrier: Retrier;
  readonly reaper: Reaper;
  readonly pruner: Pruner;
  readonly scheduler: Scheduler;
  /** Run the tasks; none without maintenance. */
  readonly tickers: readonly Ticker[];
}

/** @param requestPoll called with each queue in which jobs became ready. */
export function createMaintenance(
  engine: Engine,
  recurring: RecurringJobs,
  { maintenance, retention }: Pick<ResolvedWorkerOptions, 'maintenance' | 'retention'>,
  events: WorkerEventEmitter,
  logger: QueueLogger,
  requestPoll: (queue: string) => void,
  onExpired: ExpiryListener,
): WorkerMaintenance {
  const retrier = new Retrier(engine, requestPoll);
  const reaper = new Reaper(engine, requestPoll, stallListener(events), onExpired);
  const pruner = new Pruner(engine, retention, logger);
  const scheduler = new Scheduler(engine, recurring, logger, requestPoll);
  const tickers = maintenance
    ? [retrier, reaper, pruner, scheduler].map((service) => Ticker.for(service, maintenance[service.task], logger))
    : [];
  return { retrier, reaper, pruner, scheduler, tickers };
}
