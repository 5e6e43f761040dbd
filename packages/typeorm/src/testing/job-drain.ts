import type { Engine } from '../engine/engine.js';
import { Reaper } from '../maintenance/reaper/reaper.js';
import { Retrier } from '../maintenance/retrier.js';
import { Scheduler } from '../maintenance/scheduler.js';
import type { QueueLogger } from '../logger.js';
import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import { CallbackTrigger } from '../queue/groups/group-callbacks.js';
import type { TableQueue } from '../queue/table-queue.js';
import type { ClaimedJob } from '../store/base/claimed-job.js';
import { ClaimMutex } from '../worker/running/claim-mutex.js';
import { CancellationPoller } from '../worker/claiming/cancellation-poller.js';
import { type JobHandler, handlersByName } from '../worker/handlers/job-handler.js';
import { InstrumentedCalls } from '../worker/running/instrumented-calls.js';
import { JobExecutor } from '../worker/running/job-executor.js';
import { Lease } from '../worker/liveness/lease.js';
import { OutcomePolicy } from '../worker/running/outcome-policy.js';
import { ProgressWriter } from '../worker/running/progress-writer.js';
import { JobPool } from '../worker/running/job-pool.js';
import { JobCompleter } from '../worker/completing/job-completer.js';
import { TransactionalRuns } from '../worker/running/transactional-attempts.js';
import { WorkerEventEmitter } from '../worker/events/worker-events.js';
import { DrainClaims } from './drain-claims.js';
import { DrainReports } from './drain-reports.js';
import type { DrainedJob } from './drained-job.js';
import { EndlessDrainError, TestingStateError } from './errors/index.js';

/** A drain with more runs than this is taken for one that never ends. */
const MOST_RUNS = 1_000;
/** How long a run lasts before it is looked for requests to cancel it, in ms. */
const BEFORE_WATCH = 50;
/** The drain's lease, in ms: only as long as it takes others to free its jobs if the process dies. */
const LEASE = 60_000;

/** What a drain works on. */
export interface DrainDependencies {
  readonly queue: TableQueue;
  readonly handlers: readonly JobHandler[];
  /** That of the queue, or one on a test's transaction. */
  readonly engine: Engine;
  /** Whether it is in a test's transaction. */
  readonly isInside: boolean;
  readonly logger: QueueLogger;
}

/**
 * Runs what is due until nothing is: a worker's claims, runs and outcomes, one after the other and without its timers.
 * The order is that of the queue, so tests can rely on it; on SQLite, where an application's transactions share one
 * connection, handlers that ran side by side would get into one another's.
 */
export class JobDrain {
  private readonly reports: DrainReports;
  private readonly claims: DrainClaims;
  private readonly running: JobPool;
  private readonly groups: CallbackTrigger;
  private readonly lease: Lease;
  private readonly queues: readonly string[];

  constructor(private readonly parts: DrainDependencies) {
    const { queue, handlers, engine, isInside, logger } = parts;
    const byName = handlersByName(handlers);
    this.queues = [...new Set(handlers.map(({ definition }) => definition.queue))];
    const events = new WorkerEventEmitter(logger);
    this.reports = new DrainReports(events, byName, logger);
    // Statements beside those of a handler would get between its savepoints.
    const progress = new ProgressWriter(isInside ? undefined : engine, queue.maxPayloadBytes, logger);
    const rules = new OutcomePolicy(queue.maxPayloadBytes, logger, queue.redact);
    const settler = new JobCompleter(engine, this.reports.logger, queue.redact);
    // An outcome that cannot be written down fails the test; a worker would try again for as long as it takes.
    settler.giveUp();
    this.groups = new CallbackTrigger(engine, EnqueueNotifier.of(queue.dataSource), logger);
    const calls = queue.instrumentation && new InstrumentedCalls(queue.instrumentation, events);
    this.running = new JobPool(
      new JobExecutor(byName, new TransactionalRuns(engine, rules, progress, this.reports.logger), rules, calls),
      settler,
      progress,
      ({ groupId }, id) => {
        queue.waits.finished(id);
        this.groups.ended(groupId);
      },
      events,
      this.reports.logger,
      new ClaimMutex(),
      undefined,
    );
    this.lease = new Lease(
      engine,
      this.queues.map((name) => ({ name, weight: 1 })),
      LEASE,
      () => undefined,
      logger,
      () => this.running.loseAll(),
    );
    this.claims = new DrainClaims(engine, handlers, () => this.owner());
  }

  /** @throws EndlessDrainError, TestingStateError, and what goes wrong with the database. */
  async run(): Promise<readonly DrainedJob[]> {
    if (this.queues.length === 0) {
      return [];
    }
    await this.lease.start();
    try {
      do {
        await this.makeReady();
      } while (await this.runReady());
    } finally {
      await this.lease.stop();
    }
    return this.reports.all;
  }

  /** Whose clock was moved past its lease has lost that, and what it claims before it has another would be nobody's. */
  private async owner(): Promise<number> {
    const owner = await this.lease.ownerWhenRegistered();
    if (owner === 0) {
      throw new TestingStateError('The drain has lost its lease and could not register anew: its log says why.');
    }
    return owner;
  }

  /** Schedules and dead workers belong to the whole database: not a test's transaction's business. */
  private async makeReady(): Promise<void> {
    const { queue, engine, isInside, logger } = this.parts;
    if (!isInside) {
      await new Reaper(engine).runOnce();
      await new Scheduler(engine, queue.recurring, logger).runOnce();
    }
    await new Retrier(engine).runOnce();
  }

  /** @returns whether there was anything. */
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
    if (first && this.reports.all.length >= MOST_RUNS) {
      throw new EndlessDrainError(this.reports.all.length, first.name);
    }
    this.running.cancel(await this.claims.cancelled());
    jobs.forEach((job) => this.reports.expect(job));
    const runs = jobs.map((job) => {
      return new Promise<void>((settled) => this.running.start(job, { ended: () => undefined, settled }));
    });
    const stopWatching = this.watch();
    await Promise.all(runs);
    await stopWatching();
    await this.groups.idle();
    this.reports.assertComplete();
  }

  /** Somebody may cancel a job while it runs. */
  private watch(): () => Promise<void> {
    const { engine, isInside, logger } = this.parts;
    if (isInside) {
      return () => Promise.resolve();
    }
    const watch = new CancellationPoller(engine, this.queues, this.running, logger);
    const timer = setTimeout(() => watch.start(), BEFORE_WATCH);
    return () => {
      clearTimeout(timer);
      return watch.stop();
    };
  }
}
