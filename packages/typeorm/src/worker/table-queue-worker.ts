import type { Engine } from '../engine/engine.js';
import { MissingTablesError, WorkerStateError } from '../errors/index.js';
import { Pruner } from '../maintenance/pruner.js';
import { Reaper } from '../maintenance/reaper.js';
import { Retrier } from '../maintenance/retrier.js';
import { Ticker } from '../maintenance/ticker.js';
import { Bell } from '../queue/bell.js';
import type { TableQueue } from '../queue/table-queue.js';
import { claimStrategyFor } from '../store/claim/claim-strategies.js';
import { Claimer } from './claimer.js';
import { type JobHandler, handlersByName } from './job-handler.js';
import { JobRunner } from './job-runner.js';
import { Lease } from './lease.js';
import { RunningJobs } from './running-jobs.js';
import { Settler } from './settler.js';
import { QueueSlots } from './slots.js';
import { WorkerEventEmitter } from './worker-events.js';
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
 * It also makes due jobs ready, frees those of dead workers and deletes finished ones, by timers of its own, unless
 * `maintenance` is false.
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

  private state: State = 'new';
  private starting: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private stopListening: (() => void) | undefined;
  private readonly options: ResolvedWorkerOptions;
  private readonly engine: Engine;
  private readonly lease: Lease;
  private readonly claimer: Claimer;
  private readonly settler: Settler;
  private readonly running: RunningJobs;
  private readonly tickers: readonly Ticker[];

  /**
   * @throws DuplicateHandlerError, InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  constructor(
    private readonly queue: TableQueue,
    handlers: readonly JobHandler[],
    options: WorkerOptions = {},
  ) {
    this.options = resolveWorkerOptions(options);
    const { concurrencyOf, lease, pollInterval, maintenance, retention, logger } = this.options;
    const byName = handlersByName(handlers);
    const queues = [...new Set(handlers.map(({ definition }) => definition.queue))];
    const slotFreed = () => this.claimer.slotFreed();
    const slots = queues.map(
      (name) => new QueueSlots(name, concurrencyOf(name), slotFreed, () => this.claimer.settled(name)),
    );

    this.engine = queue.engine.dedicated(Math.max(lease / 3, LEAST_PATIENCE));
    this.events = new WorkerEventEmitter(logger);
    const hint = (name: string) => this.claimer.hint(name);
    this.retrier = new Retrier(this.engine, hint);
    this.reaper = new Reaper(this.engine, hint);
    this.pruner = new Pruner(this.engine, retention);
    this.tickers = maintenance
      ? [this.retrier, this.reaper, this.pruner].map((service) =>
          Ticker.for(service, maintenance[service.task], logger),
        )
      : [];
    this.settler = new Settler(this.engine, logger);
    this.running = new RunningJobs(
      new JobRunner(byName, queue.maxPayloadBytes, logger),
      this.settler,
      this.events,
      logger,
    );
    this.lease = new Lease(this.engine, queues, lease, logger, () => this.running.loseAll());
    this.claimer = new Claimer({
      engine: this.engine,
      strategy: claimStrategyFor(queue.dataSource.options.type),
      lease: this.lease,
      slots,
      pollInterval,
      logger,
      hasRunning: () => this.running.count > 0,
      onCancelled: (ids) => this.running.cancel(ids),
      onClaimed: (job, taken) => this.running.start(job, taken),
      promote: (name) => this.retrier.promoteBatch(name),
    });
  }

  /** How many jobs it runs at this moment. */
  get activeJobs(): number {
    return this.running.count;
  }

  /**
   * Connects, registers the worker and begins to claim.
   *
   * @throws DatabaseUnavailableError, UnsupportedDatabaseError, MissingTablesError; nothing is left open then and
   *   `start` may be called again.
   * @throws WorkerStateError when it has been started or stopped already.
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
      await this.lease.start();
    } catch (error) {
      this.state = 'new';
      await this.engine.close();
      throw error;
    }
    this.state = 'working';
    this.stopListening = Bell.of(this.queue.dataSource).listen((ring) => this.claimer.rung(ring));
    this.claimer.start();
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
    if (wasWorking) {
      await Promise.all(this.tickers.map((ticker) => ticker.stop()));
      const allEnded = await this.running.idle(this.options.shutdownTimeout);
      this.settler.giveUp();
      if (!allEnded) {
        await this.running.handBack();
      }
      await this.lease.stop().catch((error: unknown) => {
        this.options.logger.warn(
          `The worker could not be deregistered, its lease will end by itself: ${String(error)}`,
        );
      });
    }
    await this.engine.close();
  }
}
