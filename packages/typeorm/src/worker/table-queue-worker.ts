import type { Engine } from '../engine/engine.js';
import { MissingTablesError, WorkerStateError } from '../errors/index.js';
import { Pruner } from '../maintenance/pruner/pruner.js';
import { Reaper } from '../maintenance/reaper/reaper.js';
import { Retrier } from '../maintenance/retrier.js';
import { Scheduler } from '../maintenance/scheduler.js';
import { redactingLogger } from '../logger.js';
import { Ticker } from '../maintenance/ticker.js';
import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import { CallbackTrigger } from '../queue/groups/group-callbacks.js';
import type { TableQueue } from '../queue/table-queue.js';
import { chooseClaimStrategy } from '../store/claim/claim-strategies.js';
import type { ClaimStrategy } from '../store/claim/claim-strategy.js';
import { ClaimMutex } from './running/claim-mutex.js';
import { Claimer } from './claiming/claimer.js';
import { FailureDetector } from './liveness/failure-detector.js';
import { Reaping } from './liveness/reaping.js';
import { InstrumentedCalls } from './running/instrumented-calls.js';
import { type JobHandler, handlersByName } from './handlers/job-handler.js';
import { JobExecutor } from './running/job-executor.js';
import { CancellationPoller } from './claiming/cancellation-poller.js';
import { Lease } from './liveness/lease.js';
import { ThrottledLogger } from './events/throttled-logger.js';
import { OutcomePolicy } from './running/outcome-policy.js';
import { JobPool } from './running/job-pool.js';
import { ProgressWriter } from './running/progress-writer.js';
import { JobCompleter } from './completing/job-completer.js';
import { QueueCapacity, WorkerCapacity } from './running/capacity.js';
import { StallEvents } from './events/stall-events.js';
import { ThroughputTally } from './completing/throughput-tally.js';
import { TransactionalRuns } from './running/transactional-attempts.js';
import { WorkerEventEmitter } from './events/worker-events.js';
import { LivenessLock } from './liveness/liveness-lock.js';
import { type ResolvedWorkerOptions, type WorkerOptions, resolveWorkerOptions } from './worker-options.js';

/** How long to wait for an answer of the server at least, in ms: a short lease is no reason to give up on a slow one. */
const LEAST_PATIENCE = 5_000;

type State = 'new' | 'starting' | 'working' | 'draining' | 'stopped';

/**
 * Runs the jobs of one data source in this process: one claimer, many handlers at a time.
 *
 * Each job is run at least once. A worker that cannot renew its lease gives its jobs up, and what it still does about
 * them is refused by the database.
 *
 * It also makes due jobs ready, frees those of dead workers, deletes finished ones and fires schedules, by timers of its
 * own, unless `maintenance` is false.
 */
export class TableQueueWorker {
  /** Tells about the jobs this worker runs. */
  readonly events: WorkerEventEmitter;
  /** Makes due jobs ready. Works from `start` to `stop`. */
  readonly retrier: Retrier;
  /** Frees the jobs of dead workers. Works from `start` to `stop`. */
  readonly reaper: Reaper;
  /** Deletes finished jobs that need not be kept. Works from `start` to `stop`. */
  readonly pruner: Pruner;
  /** Enqueues the jobs of schedules. Works from `start` to `stop`. */
  readonly scheduler: Scheduler;

  private state: State = 'new';
  private strategy: ClaimStrategy | undefined;
  private starting: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private stopListening: (() => void) | undefined;
  private readonly options: ResolvedWorkerOptions;
  private readonly engine: Engine;
  private readonly lease: Lease;
  private readonly lock: LivenessLock | undefined;
  private readonly reaping: Reaping;
  private readonly claimer: Claimer;
  private readonly settler: JobCompleter;
  private readonly tally: ThroughputTally;
  private readonly groups: CallbackTrigger;
  private readonly running: JobPool;
  private readonly drainWatch: CancellationPoller;
  private readonly tickers: readonly Ticker[];

  /**
   * @throws DuplicateHandlerError, InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  constructor(
    private readonly queue: TableQueue,
    handlers: readonly JobHandler[],
    options: WorkerOptions = {},
  ) {
    const resolved = resolveWorkerOptions(options);
    this.options = { ...resolved, logger: redactingLogger(resolved.logger, queue.redact) };
    const {
      settingsOf,
      totalConcurrency,
      lease,
      liveness,
      deadWorkerGracePeriod,
      pollInterval,
      maintenance,
      retention,
    } = this.options;
    const logger = new ThrottledLogger(this.options.logger);
    const byName = handlersByName(handlers);
    const queues = [...new Set(handlers.map(({ definition }) => definition.queue))];
    const slotFreed = () => this.claimer.slotFreed();
    const shared = new WorkerCapacity(totalConcurrency);
    const slots = queues.map((name) => {
      const { concurrency, weight } = settingsOf(name);
      return new QueueCapacity(name, concurrency, weight, shared, slotFreed, () => this.claimer.settled(name));
    });

    this.engine = queue.engine.dedicated(Math.max(lease / 3, LEAST_PATIENCE), () => logger.over());
    this.events = new WorkerEventEmitter(logger);
    const hint = (name: string) => this.claimer.hint(name);
    this.retrier = new Retrier(this.engine, hint);
    this.reaper = new Reaper(this.engine, hint, new StallEvents(this.events));
    this.pruner = new Pruner(this.engine, retention);
    this.scheduler = new Scheduler(this.engine, queue.recurring, logger, hint);
    this.tickers = maintenance
      ? [this.retrier, this.reaper, this.pruner, this.scheduler].map((service) =>
          Ticker.for(service, maintenance[service.task], logger),
        )
      : [];
    this.tally = new ThroughputTally(this.engine, logger);
    this.settler = new JobCompleter(this.engine, logger, queue.redact);
    const progress = new ProgressWriter(this.engine, queue.maxPayloadBytes, logger);
    const rules = new OutcomePolicy(queue.maxPayloadBytes, logger, queue.redact);
    this.groups = new CallbackTrigger(this.engine, EnqueueNotifier.of(queue.dataSource), logger);
    const gate = new ClaimMutex();
    const calls = queue.instrumentation && new InstrumentedCalls(queue.instrumentation, this.events);
    this.running = new JobPool(
      new JobExecutor(byName, new TransactionalRuns(queue.engine, rules, progress, logger), rules, calls),
      this.settler,
      progress,
      ({ groupId }, id) => {
        queue.waits.finished(id);
        this.groups.ended(groupId);
      },
      this.events,
      logger,
      gate,
      this.tally,
    );
    this.drainWatch = new CancellationPoller(this.engine, queues, this.running, logger);
    this.lock =
      liveness === 'connection' && this.engine.openLockSession
        ? new LivenessLock(this.engine, logger, () => this.lease.lockChanged())
        : undefined;
    this.lease = new Lease(
      this.engine,
      slots.map(({ queue: name, weight }) => ({ name, weight })),
      lease,
      () => this.lock?.mark,
      logger,
      () => this.running.loseAll(),
    );
    this.reaping = new Reaping(this.reaper, logger);
    this.claimer = new Claimer({
      engine: this.engine,
      lease: this.lease,
      gate,
      slots,
      sharedRoom: shared,
      deathWatch: new FailureDetector({
        grace: deadWorkerGracePeriod,
        owner: () => this.lease.owner,
        hasLock: () => this.lock?.mark !== undefined && this.lease.isHeld,
        onOwnSilence: () => void this.lock?.renew(),
        onDeath: (ids) => this.reaping.begin(ids),
      }),
      pollInterval,
      logger,
      hasRunning: () => this.running.count > 0,
      onCancelled: (ids) => this.running.cancel(ids),
      mayBeCancelled: (jobs) => this.running.mayBeCancelled(jobs),
      onClaimed: (job, taken) => this.running.start(job, taken),
      promote: (name) => this.retrier.promoteBatch(name),
      onDrained: (name) => this.events.tell('drained', name),
    });
  }

  /** The name of the way it claims, chosen when it starts: `skip-locked`, for example. */
  get claimStrategy(): string | undefined {
    return this.strategy?.name;
  }

  /** How many jobs it runs at this moment. */
  get activeJobs(): number {
    return this.running.count;
  }

  /** Whether its lease is held: its jobs are its own. */
  get holdsLease(): boolean {
    return this.lease.lasts;
  }

  /**
   * Connects, registers the worker and begins to claim.
   *
   * @throws DatabaseUnavailableError, UnsupportedDatabaseError, MissingTablesError; nothing is left open then and
   *   `start` may be called again.
   * @throws InvalidOptionError for a `claimStrategy` that the server does not have.
   * @throws WorkerStateError when it has been started or stopped already, or no id was free for it.
   */
  async start(): Promise<void> {
    if (this.state !== 'new') {
      throw new WorkerStateError(`The worker cannot be started: it is ${this.state}. Make a new one.`);
    }
    this.state = 'starting';
    this.starting = this.startOnce();
    await this.starting;
  }

  private async startOnce(): Promise<void> {
    try {
      await this.engine.open();
      const missing = await this.engine.missingTables();
      if (missing.length > 0) {
        throw new MissingTablesError(missing);
      }
      this.strategy = await chooseClaimStrategy(this.engine, this.options.claimStrategy);
      await this.lock?.open();
      await this.lease.start();
    } catch (error) {
      this.state = 'new';
      await this.lock?.close();
      await this.engine.close();
      throw error;
    }
    this.state = 'working';
    this.queue.workers.add(this);
    this.stopListening = EnqueueNotifier.of(this.queue.dataSource).listen((ring) => this.claimer.rung(ring));
    this.claimer.start(this.strategy);
    this.tickers.forEach((ticker) => ticker.start());
  }

  /** Claims no more jobs; those that run go on. Idempotent. */
  async stopClaiming(): Promise<void> {
    if (this.state === 'working') {
      this.state = 'draining';
      this.stopListening?.();
    }
    if (this.state === 'draining') {
      await this.claimer.stop();
      this.drainWatch.start();
    }
  }

  /**
   * Stops: claims no more, waits for running handlers up to `shutdownTimeout`, hands the rest back without charging an
   * attempt, and disconnects. Idempotent.
   */
  async stop(): Promise<void> {
    this.stopping ??= this.stopOnce();
    await this.stopping;
  }

  private async stopOnce(): Promise<void> {
    // A start that is under way comes to its end first; whoever called it learns of its failure.
    await this.starting?.catch(() => undefined);
    await this.stopClaiming();
    const wasWorking = this.state === 'draining';
    this.state = 'stopped';
    this.queue.workers.delete(this);
    if (wasWorking) {
      await Promise.all([this.reaping.end(), ...this.tickers.map((ticker) => ticker.stop())]);
      const allEnded = await this.running.idle(this.options.shutdownTimeout);
      this.settler.giveUp();
      const watched = this.drainWatch.stop();
      if (!allEnded) {
        await this.running.handBack();
      }
      await watched;
      await this.groups.idle();
      await this.tally.write();
      await this.lease.stop().catch((error: unknown) => {
        this.options.logger.warn(
          `The worker could not be deregistered, its lease will end by itself: ${String(error)}`,
        );
      });
      // Only now: until its row is gone a free lock means that it has died.
      await this.lock?.close();
    }
    await this.engine.close();
  }
}
