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

/** What the maintenance tasks work with. */
export interface MaintenanceDependencies {
  readonly engine: Engine;
  readonly recurring: RecurringJobs;
  readonly options: Pick<ResolvedWorkerOptions, 'maintenance' | 'retention'>;
  readonly events: WorkerEventEmitter;
  readonly logger: QueueLogger;
  /** Called with each queue in which jobs became ready. */
  readonly requestPoll: (queue: string) => void;
  readonly onExpired: ExpiryListener;
}

export function createMaintenance(dependencies: MaintenanceDependencies): WorkerMaintenance {
  const { engine, recurring, events, logger, requestPoll, onExpired } = dependencies;
  const { maintenance, retention } = dependencies.options;
  const retrier = new Retrier(engine, requestPoll);
  const reaper = new Reaper(engine, requestPoll, stallListener(events), onExpired);
  const pruner = new Pruner(engine, retention, logger);
  const scheduler = new Scheduler(engine, recurring, logger, requestPoll);
  const tickers = maintenance
    ? [retrier, reaper, pruner, scheduler].map((service) => Ticker.for(service, maintenance[service.task], logger))
    : [];
  return { retrier, reaper, pruner, scheduler, tickers };
}
