import { mapConcurrently } from '../async/map-concurrently.js';
import type { Engine } from '../engine/engine.js';
import type { QueueLogger } from '../logger.js';
import { Reaper } from '../maintenance/reaper/reaper.js';
import { type ExpiryListener, expireAllDue } from '../maintenance/reaper/expire-jobs.js';
import { advanceAbandonedKeys } from '../maintenance/reaper/advance-abandoned-keys.js';
import { wakeForSignals } from '../maintenance/reaper/wake-for-signals.js';
import { Retrier } from '../maintenance/retrier.js';
import { Scheduler } from '../maintenance/scheduler.js';
import { EndedJobs } from '../queue/jobs/ended-jobs.js';
import { decodeValue } from '../queue/jobs/decode-jobs.js';
import type { TableQueue } from '../queue/table-queue.js';
import type { ClaimedJob } from '../store/base/jobs/claimed-job.js';
import { pollCancellations } from '../worker/claiming/poll-cancellations.js';
import { JobCompleter } from '../worker/completing/job-completer.js';
import { expiryListener } from '../worker/events/expiry-listener.js';
import { WorkerEventEmitter } from '../worker/events/worker-events.js';
import { type JobHandler, handlersByName } from '../worker/handlers/job-handler.js';
import { Lease } from '../worker/liveness/lease.js';
import { WorkerReporter } from '../worker/liveness/worker-reporter.js';
import { createJobPool } from '../worker/running/create-job-pool.js';
import type { JobPool } from '../worker/running/job-pool.js';
import { PoisonIsolation } from '../worker/running/poison-isolation.js';
import { WorkerSubscriptions, handledQueues } from '../worker/subscriptions/worker-subscriptions.js';
import { DrainClaims } from './drain-claims.js';
import { DrainReports } from './drain-reports.js';
import type { DrainedJob } from './drained-job.js';
import { EndlessDrainError, TestingStateError } from './errors/index.js';

/** A drain with more attempts than this counts as endless. */
const MAX_ATTEMPTS = 1_000;
/** How long a job runs before the drain polls for requests to cancel it, in ms. */
const BEFORE_POLLING = 50;
/** The drain's lease, in ms: how long its jobs stay claimed if the process dies. */
const LEASE = 60_000;

/** What a drain works on. */
export interface DrainDependencies {
  readonly queue: TableQueue;
  readonly handlers: readonly JobHandler[];
  /** The queue's engine, or one on the transaction of a test. */
  readonly engine: Engine;
  /** Whether the drain runs in the transaction of a test. */
  readonly isInside: boolean;
  /** Whether durable jobs run again after each step. */
  readonly restarts: boolean;
  readonly logger: QueueLogger;
}

/**
 * Runs due jobs until none is left: a worker's claims, attempts and completions, one after another and without timers.
 *
 * Jobs run in the order of the queue, so tests can rely on it. On SQLite, where all transactions of an application
 * share one connection, concurrent handlers would end up in one another's transactions.
 */
export class JobDrain {
  private readonly reports: DrainReports;
  private readonly claims: DrainClaims;
  private readonly pool: JobPool;
  private readonly endedJobs: EndedJobs;
  private readonly onExpired: ExpiryListener;
  private readonly lease: Lease;
  private readonly queues: readonly string[];

  constructor(private readonly dependencies: DrainDependencies) {
    const { queue, handlers, engine, isInside, restarts, logger } = dependencies;
    const byName = handlersByName(handlers);
    this.queues = handledQueues(handlers);
    const events = new WorkerEventEmitter(logger);
    this.reports = new DrainReports(events, byName, logger);
    const completer = new JobCompleter(engine, this.reports.logger, queue.redact);
    this.endedJobs = new EndedJobs(queue.dataSource, engine, logger);
    this.pool = createJobPool({
      queue,
      handlers: byName,
      application: engine,
      engine,
      // In a transaction, statements beside those of a handler would get between its savepoints.
      progressEngine: isInside ? undefined : engine,
      endsAfterEachStep: restarts,
      completer,
      endedJobs: this.endedJobs,
      poisonIsolation: new PoisonIsolation(),
      events,
      logger,
      outcomeLogger: this.reports.logger,
    });
    // An outcome that cannot be stored fails the test. A worker would retry.
    this.pool.giveUp();
    this.lease = new Lease(
      engine,
      this.queues.map((name) => ({ name, weight: 1 })),
      LEASE,
      () => undefined,
      // It ends within one call, whatever is requested of it.
      new WorkerReporter({ codeVersion: null, state: () => 'working', onRequested: () => undefined }, LEASE),
      logger,
      () => this.pool.abortAll(),
    );
    this.onExpired = expiryListener(events, queue.waits, this.endedJobs);
    this.claims = new DrainClaims(engine, handlers, this.queues, () => this.owner(), this.onExpired);
  }

  /** @throws EndlessDrainError, TestingStateError, and what goes wrong with the database. */
  async run(): Promise<readonly DrainedJob[]> {
    if (this.queues.length === 0) {
      return [];
    }
    const { engine, handlers, logger } = this.dependencies;
    await new WorkerSubscriptions(engine, handlers, logger).register();
    await this.lease.start();
    try {
      do {
        await this.makeReady();
      } while (await this.runReady());
    } finally {
      await this.lease.stop();
    }
    const { codecs } = this.dependencies.queue;
    return mapConcurrently(this.reports.all, 1, async (job) => ({
      ...job,
      payload: await decodeValue(codecs, job.payload, 'payload'),
    }));
  }

  /** A test that moves the clock past the lease loses it. A claim before the next lease would have no owner. */
  private async owner(): Promise<number> {
    const owner = await this.lease.ownerWhenRegistered();
    if (owner === 0) {
      throw new TestingStateError(
        'The drain has lost its lease and could not register again. See the log for the reason.',
      );
    }
    return owner;
  }

  /** Schedules and dead workers belong to the whole database, so a test's transaction leaves them alone. */
  private async makeReady(): Promise<void> {
    const { queue, engine, isInside, logger } = this.dependencies;
    await wakeForSignals(engine, () => undefined, false);
    await expireAllDue(engine, this.onExpired);
    await advanceAbandonedKeys(engine, () => undefined);
    if (!isInside) {
      await new Reaper(engine, undefined, undefined, this.onExpired).runOnce();
      await new Scheduler(engine, queue.recurring, logger).runOnce();
    }
    await new Retrier(engine).runOnce();
  }

  /** @returns whether any job ran. */
  private async runReady(): Promise<boolean> {
    let hasRun = false;
    for (let hasFound = true; hasFound;) {
      hasFound = false;
      for (const queue of this.queues) {
        const calls = await this.claims.next(queue);
        for (const jobs of calls) {
          await this.runTogether(jobs);
          hasFound = true;
        }
      }
      hasRun ||= hasFound;
    }
    return hasRun;
  }

  private async runTogether(jobs: readonly ClaimedJob[]): Promise<void> {
    const [first] = jobs;
    if (first && this.reports.all.length >= MAX_ATTEMPTS) {
      throw new EndlessDrainError(this.reports.all.length, first.name);
    }
    this.pool.cancelJobs(await this.claims.cancelled());
    jobs.forEach((job) => this.reports.expect(job));
    const completions = jobs.map((job) => {
      return new Promise<void>((resolve) =>
        this.pool.startJob(job, { onHandlerEnded: () => undefined, onCompleted: resolve }),
      );
    });
    this.pool.callWaitingBatches();
    const stopPolling = this.pollCancellations();
    await Promise.all(completions);
    await stopPolling();
    await this.endedJobs.idle();
    this.reports.assertComplete();
  }

  /** A job may be cancelled while it runs. */
  private pollCancellations(): () => Promise<void> {
    const { engine, isInside, logger } = this.dependencies;
    if (isInside) {
      return () => Promise.resolve();
    }
    let stop: (() => Promise<void>) | undefined;
    const timer = setTimeout(() => {
      stop = pollCancellations(engine, this.queues, this.pool, logger);
    }, BEFORE_POLLING);
    return async () => {
      clearTimeout(timer);
      await stop?.();
    };
  }
}
