import { alertHandler } from '../alerts/alert-job.js';
import type { Engine } from '../engine/engine.js';
import { InvalidOptionError, WorkerStateError } from '../errors/index.js';
import { logError, redactingLogger } from '../logger.js';
import type { Pruner } from '../maintenance/pruner/pruner.js';
import type { Reaper } from '../maintenance/reaper/reaper.js';
import type { Retrier } from '../maintenance/retrier.js';
import type { Scheduler } from '../maintenance/scheduler.js';
import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import type { WorkerHealth } from '../queue/health/facts.js';
import type { TableQueue } from '../queue/table-queue.js';
import { chooseClaimStrategy } from '../store/claim/claim-strategies.js';
import type { ClaimStrategy } from '../store/claim/claim-strategy.js';
import type { WorkerState } from '../tables/worker.js';
import { assertTables } from './assert-tables.js';
import type { Claimer } from './claiming/claimer.js';
import { type WorkerServices, createServices } from './create-services.js';
import { declareQueues } from './declare-queues.js';
import { ClosableLogger } from './events/closable-logger.js';
import type { WorkerEventEmitter } from './events/worker-events.js';
import { type JobHandler, assertHandlers } from './handlers/job-handler.js';
import type { WorkerLiveness } from './liveness/create-liveness.js';
import { stopInTime } from './stop-in-time.js';
import { type ResolvedWorkerOptions, type WorkerOptions, resolveWorkerOptions } from './worker-options.js';

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
  /** @internal Makes due jobs ready. Works from `start` to `stop`. */
  readonly retrier: Retrier;
  /** @internal Frees the jobs of dead workers. Works from `start` to `stop`. */
  readonly reaper: Reaper;
  /** @internal Deletes finished jobs after their retention. Works from `start` to `stop`. */
  readonly pruner: Pruner;
  /** @internal Enqueues the jobs of schedules. Works from `start` to `stop`. */
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
  private readonly services: WorkerServices;

  /**
   * @throws DuplicateHandlerError when two handlers have the same job name.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for the handlers and the options.
   */
  constructor(
    private readonly queue: TableQueue,
    given: readonly JobHandler[],
    options: WorkerOptions = {},
  ) {
    assertQueue(queue);
    assertHandlers(given);
    const resolved = resolveWorkerOptions(options, queue.logger);
    this.options = { ...resolved, logger: new ClosableLogger(redactingLogger(resolved.logger, queue.redact)) };
    this.handlers = resolved.alerts ? [...given, alertHandler(resolved.alerts)] : given;
    this.stopRequested = new Promise((resolve) => (this.resolveStopRequested = resolve));
    this.services = createServices(queue, this.handlers, this.options, {
      isStopped: () => this.state === 'stopped',
      reportedState: () => this.reportedState,
      stopOnRequest: () => this.stopOnRequest(),
    });
    const { engine, events, liveness, claimer, maintenance } = this.services;
    this.engine = engine;
    this.events = events;
    this.liveness = liveness;
    this.claimer = claimer;
    ({ retrier: this.retrier, reaper: this.reaper, pruner: this.pruner, scheduler: this.scheduler } = maintenance);
  }

  /** The claim strategy, chosen at the start, such as `'skip-locked'`; undefined before. */
  get claimStrategy(): string | undefined {
    return this.strategy?.name;
  }

  /** How many jobs run now. */
  get activeJobs(): number {
    return this.services.pool.count;
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
      await this.services.subscriptions.register();
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
    this.services.tickers.forEach((ticker) => ticker.start());
  }

  /** Stops claiming; running jobs go on. Idempotent. */
  async stopClaiming(): Promise<void> {
    if (this.state === 'working') {
      this.state = 'stopping';
      this.stopListening?.();
    }
    if (this.state === 'stopping') {
      await this.claimer.stop();
      this.services.pool.stopWaitingForBatches();
      this.stopPolling ??= this.services.pollCancellations();
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
        ...this.services.tickers.map((ticker) => ticker.stop()),
      ]);
      const allEnded = await this.services.pool.waitUntilIdle(this.options.shutdownTimeout);
      this.services.pool.giveUp();
      const pollerStopped = this.stopPolling?.();
      if (!allEnded) {
        await this.services.pool.returnAll();
      }
      await pollerStopped;
      await this.services.endedJobs.idle();
      await this.services.pool.closeLogs();
      await this.services.throughput.flush();
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

/** By its methods: it may be of another copy of this package. @throws InvalidOptionError */
function assertQueue(value: unknown): void {
  if (typeof (value as Partial<TableQueue> | null | undefined)?.engine?.dedicated !== 'function') {
    throw new InvalidOptionError('queue', Object.prototype.toString.call(value), 'a TableQueue');
  }
}
