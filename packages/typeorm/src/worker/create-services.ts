import { AlertService } from '../alerts/alert-service.js';
import type { Engine } from '../engine/engine.js';
import { BulkAdvancer } from '../maintenance/bulk-advancer.js';
import { expireFound } from '../maintenance/reaper/expire-jobs.js';
import type { Ticker } from '../maintenance/ticker.js';
import { BulkRunner } from '../queue/bulk/bulk-runner.js';
import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import { EndedJobs } from '../queue/jobs/ended-jobs.js';
import type { TableQueue } from '../queue/table-queue.js';
import type { WorkerState } from '../tables/worker.js';
import { Claimer } from './claiming/claimer.js';
import { pollCancellations } from './claiming/poll-cancellations.js';
import { JobCompleter } from './completing/job-completer.js';
import { ThroughputCounter } from './completing/throughput-counter.js';
import { type WorkerMaintenance, createMaintenance } from './create-maintenance.js';
import { expiryListener } from './events/expiry-listener.js';
import { ThrottledLogger } from './events/throttled-logger.js';
import { WorkerEventEmitter } from './events/worker-events.js';
import { followRequests } from './follow-requests.js';
import { type JobHandler, handlersByName } from './handlers/job-handler.js';
import { type WorkerLiveness, createLiveness } from './liveness/create-liveness.js';
import { createJobPool } from './running/create-job-pool.js';
import type { JobPool } from './running/job-pool.js';
import { PoisonIsolation } from './running/poison-isolation.js';
import { WorkerSubscriptions, handledQueues } from './subscriptions/worker-subscriptions.js';
import type { ResolvedWorkerOptions } from './worker-options.js';

/** The least time to wait for an answer, in ms: a short lease is no reason to give up on a slow server. */
const MIN_PATIENCE = 5_000;

/** What the services ask of their worker. */
export interface ServicesOwner {
  /** Whether durable runs must end at their next durable call. */
  readonly isStopped: () => boolean;
  readonly reportedState: () => WorkerState;
  /** `queue.control` has requested that the worker stops. */
  readonly stopOnRequest: () => void;
}

/** What a worker consists of. */
export interface WorkerServices {
  readonly engine: Engine;
  readonly events: WorkerEventEmitter;
  readonly maintenance: WorkerMaintenance;
  readonly subscriptions: WorkerSubscriptions;
  readonly liveness: WorkerLiveness;
  readonly claimer: Claimer;
  readonly pool: JobPool;
  readonly endedJobs: EndedJobs;
  readonly throughput: ThroughputCounter;
  /** Run from the start of the worker to its stop. */
  readonly tickers: readonly Ticker[];
  /** Starts to poll for cancellations, which the claimer no longer does. Returns what stops it. */
  readonly pollCancellations: () => () => Promise<void>;
}

/**
 * Wires the services of a worker.
 *
 * @throws DuplicateHandlerError
 */
export function createServices(
  queue: TableQueue,
  handlers: readonly JobHandler[],
  options: ResolvedWorkerOptions,
  owner: ServicesOwner,
): WorkerServices {
  const { settingsOf, totalConcurrency, lease, pollInterval, codeVersion, alerts } = options;
  const logger = new ThrottledLogger(options.logger);
  const names = handledQueues(handlers);
  const queues = names.map((name) => ({ name, ...settingsOf(name) }));

  const engine = queue.engine.dedicated(Math.max(lease / 3, MIN_PATIENCE), () => logger.onDatabaseBack());
  const events = new WorkerEventEmitter(logger);
  const requestPoll = (name: string) => claimer.requestPoll(name);
  const endedJobs = new EndedJobs(queue.dataSource, engine, logger);
  const onExpired = expiryListener(events, queue.waits, endedJobs);
  const { recurring } = queue;
  const maintenance = createMaintenance({ engine, recurring, options, events, logger, requestPoll, onExpired });
  const subscriptions = new WorkerSubscriptions(engine, handlers, logger);
  const notifier = EnqueueNotifier.of(queue.dataSource);
  const bulk = new BulkAdvancer(engine, new BulkRunner(engine, notifier, endedJobs), logger);
  const alertTickers = alerts ? [new AlertService(engine, queue, alerts, logger, requestPoll).ticker()] : [];
  const throughput = new ThroughputCounter(engine, logger);
  const poisonIsolation = new PoisonIsolation();
  const pool = createJobPool({
    queue,
    handlers: handlersByName(handlers),
    application: queue.engine,
    engine,
    progressEngine: engine,
    completer: new JobCompleter(engine, logger, queue.redact),
    isStopping: owner.isStopped,
    endedJobs,
    poisonIsolation,
    throughput,
    events,
    logger,
  });
  const onRequested = followRequests(options.logger, {
    isStopping: () => owner.reportedState() === 'stopping',
    setQuiet: (isQuiet) => claimer.setQuiet(isQuiet),
    stop: owner.stopOnRequest,
  });
  const liveness = createLiveness({
    engine,
    queues,
    options,
    reported: { codeVersion, state: owner.reportedState, onRequested },
    reaper: maintenance.reaper,
    logger,
    onLeaseLost: () => pool.abortAll(),
  });
  const claimer: Claimer = new Claimer({
    engine,
    lease: liveness.lease,
    pool,
    poisonIsolation,
    queues,
    totalConcurrency,
    failureDetector: liveness.failureDetector,
    pollInterval,
    logger,
    promote: (name) => maintenance.retrier.promoteBatch(name),
    expire: (ids) => expireFound(engine, ids, onExpired),
    onDrained: (name) => events.emitSafely('drained', name),
  });
  return {
    engine,
    events,
    maintenance,
    subscriptions,
    liveness,
    claimer,
    pool,
    endedJobs,
    throughput,
    tickers: [...maintenance.tickers, ...subscriptions.tickers, bulk.ticker(), ...alertTickers],
    pollCancellations: () => pollCancellations(engine, names, pool, logger),
  };
}
