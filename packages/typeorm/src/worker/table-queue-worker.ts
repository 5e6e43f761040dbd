import { alertHandler } from '../alerts/alert-job.js';
import { AlertService } from '../alerts/alert-service.js';
import type { Engine } from '../engine/engine.js';
import { WorkerStateError } from '../errors/index.js';
import { logError, redactingLogger } from '../logger.js';
import { BulkAdvancer } from '../maintenance/bulk-advancer.js';
import type { Pruner } from '../maintenance/pruner/pruner.js';
import { expireFound } from '../maintenance/reaper/expire-jobs.js';
import type { Reaper } from '../maintenance/reaper/reaper.js';
import type { Retrier } from '../maintenance/retrier.js';
import type { Scheduler } from '../maintenance/scheduler.js';
import type { Ticker } from '../maintenance/ticker.js';
import { BulkRunner } from '../queue/bulk/bulk-runner.js';
import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import { EndedJobs } from '../queue/jobs/ended-jobs.js';
import type { WorkerHealth } from '../queue/health/facts.js';
import type { TableQueue } from '../queue/table-queue.js';
import { chooseClaimStrategy } from '../store/claim/claim-strategies.js';
import type { ClaimStrategy } from '../store/claim/claim-strategy.js';
import type { WorkerState } from '../tables/worker.js';
import { assertTables } from './assert-tables.js';
import { Claimer } from './claiming/claimer.js';
import { pollCancellations } from './claiming/poll-cancellations.js';
import { JobCompleter } from './completing/job-completer.js';
import { ThroughputCounter } from './completing/throughput-counter.js';
import { createMaintenance } from './create-maintenance.js';
import { declareQueues } from './declare-queues.js';
import { ClosableLogger } from './events/closable-logger.js';
import { ThrottledLogger } from './events/throttled-logger.js';
import { expiryListener } from './events/expiry-listener.js';
import { WorkerEventEmitter } from './events/worker-events.js';
import { followRequests } from './follow-requests.js';
import { type JobHandler, handlersByName } from './handlers/job-handler.js';
import { type WorkerLiveness, createLiveness } from './liveness/create-liveness.js';
import { createJobPool } from './running/create-job-pool.js';
import type { JobPool } from './running/job-pool.js';
import { PoisonIsolation } from './running/poison-isolation.js';
import { stopInTime } from './stop-in-time.js';
import { WorkerSubscriptions, handledQueues } from './subscriptions/worker-subscriptions.js';
import { type ResolvedWorkerOptions, type WorkerOptions, resolveWorkerOptions } from './worker-options.js';

/** The least time to wait for an answer, in ms: a short lease is no reason to give up on a slow server. */
const MIN_PATIENCE = 5_000;

type State = 'new' | 'starting' | 'working' | 'stopping' | 'stopped';

/**
 * Runs the jobs of one data source in this process: one claimer, many handlers at a time.
 *
 * Each job runs at least once. A worker that cannot renew its lease aborts its jobs, and the database refuses what it
 * still does with them. Unless `maintenance` is false, the worker also retries due jobs, frees the jobs of dead
 * workers, deletes old finished jobs and fires schedules.
 *
 * @example
 * const worker = new TableQueueWorker(queue, [jobHandler(sendEmail, send)], { concurrency: 20 });
 * await worker.start();
 * process.once('SIGTERM', () => worker.stop());
 */
export class TableQueueWorker {
  /** Emits what happens to the jobs of this worker. */
  readonly events: WorkerEventEmitter;
  /** Makes due jobs ready. Works from `start` to `stop`. */
  readonly retrier: Retrier;
  /** Frees the jobs of dead workers. Works from `start` to `stop`. */
  readonly reaper: Reaper;
  /** Deletes finished jobs after their retention. Works from `start` to `stop`. */
  readonly pruner: Pruner;
  /** Enqueues the jobs of schedules. Works from `start` to `stop`. */
  readonly scheduler: Scheduler;
  /**
   * Resolves when `queue.control.stopWorker` has reached this worker, which then stops. Await `stop()` for its end. The
   * process goes on: end it here if it has nothing else to do.
   *
   * @example
   * void worker.stopRequested.then(async () => {
   *   await worker.stop();
   *   await dataSource.destroy();
   * });
   */
  readonly stopRequested: Promise<void>;

  private resolveStopRequested!: () => void;
  private startedAt = 0;
  private state: State = 'new';
  private strategy: ClaimStrategy | undefined;
  private starting: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private stopListening: (() => void) | undefined;
  private stopPolling: (() => Promise<void>) | undefined;
  private readonly handlers: readonly JobHandler[];
  private readonly options: ResolvedWorkerOptions & { readonly logger: ClosableLogger };
  private readonly engine: Engine;
  private readonly liveness: WorkerLiveness;
  private readonly claimer: Claimer;
  private readonly completer: JobCompleter;
  private readonly throughput: ThroughputCounter;
  private readonly endedJobs: EndedJobs;
  private readonly pool: JobPool;
  private readonly pollCancellations: () => () => Promise<void>;
  private readonly tickers: readonly Ticker[];
  private readonly subscriptions: WorkerSubscriptions;

  /**
   * @throws DuplicateHandlerError when two handlers have the same job name.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for the options.
   */
  constructor(
    private readonly queue: TableQueue,
    given: readonly JobHandler[],
    options: WorkerOptions = {},
  ) {
    const resolved = resolveWorkerOptions(options, queue.logger);
    this.options = { ...resolved, logger: new ClosableLogger(redactingLogger(resolved.logger, queue.redact)) };
    const { settingsOf, totalConcurrency, lease, pollInterval, codeVersion, alerts } = this.options;
    const handlers = alerts ? [...given, alertHandler(alerts)] : given;
    this.handlers = handlers;
    const logger = new ThrottledLogger(this.options.logger);
    const names = handledQueues(handlers);
    const queues = names.map((name) => ({ name, ...settingsOf(name) }));

    this.stopRequested = new Promise((resolve) => (this.resolveStopRequested = resolve));
    this.engine = queue.engine.dedicated(Math.max(lease / 3, MIN_PATIENCE), () => logger.onDatabaseBack());
    this.events = new WorkerEventEmitter(logger);
    const requestPoll = (name: string) => this.claimer.requestPoll(name);
    this.endedJobs = new EndedJobs(queue.dataSource, this.engine, logger);
    const onExpired = expiryListener(this.events, queue.waits, this.endedJobs);
    const maintenance = createMaintenance(
      this.engine,
      queue.recurring,
      this.options,
      this.events,
      logger,
      requestPoll,
      onExpired,
    );
    ({ retrier: this.retrier, reaper: this.reaper, pruner: this.pruner, scheduler: this.scheduler } = maintenance);
    this.subscriptions = new WorkerSubscriptions(this.engine, handlers, logger);
    const notifier = EnqueueNotifier.of(queue.dataSource);
    const bulk = new BulkAdvancer(this.engine, new BulkRunner(this.engine, notifier, this.endedJobs), logger);
    const alertTickers = alerts ? [new AlertService(this.engine, queue, alerts, logger, requestPoll).ticker()] : [];
    this.tickers = [...maintenance.tickers, ...this.subscriptions.tickers, bulk.ticker(), ...alertTickers];
    this.throughput = new ThroughputCounter(this.engine, logger);
    this.completer = new JobCompleter(this.engine, logger, queue.redact);
    const poisonIsolation = new PoisonIsolation();
    this.pool = createJobPool({
      queue,
      handlers: handlersByName(handlers),
      application: queue.engine,
      engine: this.engine,
      progressEngine: this.engine,
      completer: this.completer,
      isStopping: () => this.state === 'stopped',
      endedJobs: this.endedJobs,
      poisonIsolation,
      throughput: this.throughput,
      events: this.events,
      logger,
    });
    this.pollCancellations = () => pollCancellations(this.engine, names, this.pool, logger);
    const onRequested = followRequests(this.options.logger, {
      isStopping: () => this.reportedState === 'stopping',
      setQuiet: (isQuiet) => this.claimer.setQuiet(isQuiet),
      stop: () => this.stopOnRequest(),
    });
    const reported = { codeVersion, state: () => this.reportedState, onRequested };
    this.liveness = createLiveness(this.engine, queues, this.options, reported, this.reaper, logger, () =>
      this.pool.abortAll(),
    );
    this.claimer = new Claimer({
      engine: this.engine,
      lease: this.liveness.lease,
      pool: this.pool,
      poisonIsolation,
      queues,
      totalConcurrency,
      failureDetector: this.liveness.failureDetector,
      pollInterval,
      logger,
      promote: (name) => this.retrier.promoteBatch(name),
      expire: (ids) => expireFound(this.engine, ids, onExpired),
      onDrained: (name) => this.events.emitSafely('drained', name),
    });
  }

  /** The claim strategy, chosen at the start, such as `'skip-locked'`; undefined before. */
  get claimStrategy(): string | undefined {
    return this.strategy?.name;
  }

  /** How many jobs run now. */
  get activeJobs(): number {
    return this.pool.count;
  }

  /** Whether the lease is valid, so that no other worker takes this worker's jobs. */
  get holdsLease(): boolean {
    return this.liveness.lease.isValid;
  }

  /** Whether it claims no jobs, but alerts, because `queue.control.quietWorker` has requested that. Running jobs go on. */
  get isQuiet(): boolean {
    return this.claimer.isQuiet;
  }

  /**
   * Connects, registers the worker and its subscriptions, and starts claiming.
   *
   * @throws DatabaseUnavailableError, UnsupportedDatabaseError, MissingTablesError; nothing stays open and you may call
   *   `start` again.
   * @throws InvalidOptionError for a `claimStrategy` that the server does not support.
   * @throws WorkerStateError when the worker was started or stopped before, or could not get an id.
   */
  async start(): Promise<void> {
    if (this.state !== 'new') {
      throw new WorkerStateError(`The worker cannot start: it is ${this.state}. Create a new one.`);
    }
    this.state = 'starting';
    this.starting = this.startOnce();
    await this.starting;
  }

  private async startOnce(): Promise<void> {
    const { claimStrategy, limits } = this.options;
    try {
      await this.engine.open();
      await assertTables(this.engine);
      this.strategy = await chooseClaimStrategy(this.engine, claimStrategy);
      await this.subscriptions.register();
      await declareQueues(this.engine, limits, this.handlers, this.queue.codecs);
      await this.liveness.lock?.open();
      await this.liveness.lease.start();
    } catch (error) {
      this.state = 'new';
      await this.liveness.lock?.close();
      await this.engine.close();
      throw error;
    }
    this.state = 'working';
    this.startedAt = performance.now();
    this.queue.workers.add(this.health);
    this.stopListening = EnqueueNotifier.of(this.queue.dataSource).listen((notice) => this.claimer.onEnqueued(notice));
    this.claimer.start(this.strategy);
    this.tickers.forEach((ticker) => ticker.start());
  }

  /** Stops claiming; running jobs go on. Idempotent. */
  async stopClaiming(): Promise<void> {
    if (this.state === 'working') {
      this.state = 'stopping';
      this.stopListening?.();
    }
    if (this.state === 'stopping') {
      await this.claimer.stop();
      this.pool.stopWaitingForBatches();
      this.stopPolling ??= this.pollCancellations();
    }
  }

  /**
   * Stops the worker: stops claiming, waits for running handlers up to `shutdownTimeout`, returns unfinished jobs to
   * the queue, which does not count as a failure, and disconnects. Idempotent.
   */
  async stop(): Promise<void> {
    const { lock } = this.liveness;
    const close = (patience: number) => Promise.all([lock?.close(patience), this.engine.close(patience)]);
    this.stopping ??= stopInTime(this.options, () => this.stopInOrder(), close);
    await this.stopping.finally(() => this.options.logger.close());
  }

  private async stopInOrder(): Promise<void> {
    // A start under way ends first; its caller gets its error.
    await this.starting?.catch(() => undefined);
    await this.stopClaiming();
    const wasWorking = this.state === 'stopping';
    this.state = 'stopped';
    this.queue.workers.delete(this.health);
    if (wasWorking) {
      await Promise.all([
        this.liveness.failureDetector.waitUntilReaped(),
        ...this.tickers.map((ticker) => ticker.stop()),
      ]);
      const allEnded = await this.pool.waitUntilIdle(this.options.shutdownTimeout);
      this.pool.giveUp();
      const pollerStopped = this.stopPolling?.();
      if (!allEnded) {
        await this.pool.returnAll();
      }
      await pollerStopped;
      await this.endedJobs.idle();
      await this.pool.closeLogs();
      await this.throughput.flush();
      await this.liveness.lease.stop().catch((error: unknown) => {
        this.options.logger.warn(
          `The worker could not be deregistered. Its lease ends after its time: ${String(error)}`,
        );
      });
      // Last: while the worker's row exists, a free lock means that it has died.
      await this.liveness.lock?.close();
    }
  }

  private get reportedState(): WorkerState {
    if (this.stopping || this.state === 'stopping') {
      return 'stopping';
    }
    return this.claimer.isQuiet ? 'quiet' : 'working';
  }

  private stopOnRequest(): void {
    this.stop().catch((error: unknown) => logError(this.queue.logger, 'The worker could not be stopped', error));
    this.resolveStopRequested();
  }

  private readonly health = (): WorkerHealth => ({
    holdsLease: this.holdsLease,
    orphanedJobs: this.claimer.orphanedJobs,
    maintenance: this.options.maintenance,
    startedAt: this.startedAt,
  });
}
