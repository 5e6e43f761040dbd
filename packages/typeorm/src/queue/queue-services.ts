import type { DataSource } from 'typeorm';
import type { Codecs } from '../codec/codecs.js';
import type { DatabaseClock } from '../engine/clock.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../engine/engine.js';
import { warnOfWrongType } from '../engine/mysql/server/warn-of-wrong-type.js';
import { DataSourceNotInitializedError } from '../errors/index.js';
import type { Instrumentation } from '../instrumentation/instrumentation.js';
import { type QueueLogger, consoleLogger } from '../logger.js';
import { RecurringJobs } from '../recurring/recurring-jobs.js';
import type { Redact } from '../redaction.js';
import { BulkOperations } from './bulk/bulk-operations.js';
import { BulkRunner } from './bulk/bulk-runner.js';
import { CallerTransaction } from './enqueue/caller-transaction.js';
import { EnqueueNotifier, noticeFor } from './enqueue/enqueue-notifier.js';
import { Enqueuer } from './enqueue/enqueuer.js';
import { QueueLengths } from './enqueue/queue-lengths.js';
import { JobGroups } from './groups/job-groups.js';
import { EndedJobs } from './jobs/ended-jobs.js';
import { FailedJobs } from './jobs/failed-jobs.js';
import { JobBrowser } from './jobs/job-browser.js';
import { JobCanceller } from './jobs/job-canceller.js';
import { JobSignals } from './jobs/job-signals.js';
import { JobWaits } from './jobs/job-waits.js';
import { SignalOffers } from './jobs/signal-offers.js';
import { Subscriptions } from './jobs/subscriptions.js';
import { ManualActions } from './manual/manual-actions.js';
import type { WorkerHealth } from './health/facts.js';
import { checkHealth } from './health/check-health.js';
import { HealthReader } from './health/health-reader.js';
import { QueueControl } from './queue-control.js';
import { QueueActivity } from './reports/queue-activity.js';
import { SharedFigures } from './reports/shared-figures.js';
import { type TableQueueOptions, assertDataSource, resolveTableQueueOptions } from './table-queue-options.js';

/** Builds the services of a queue. `DurableQueue` and `TableQueue` add the calls for single jobs. */
export abstract class QueueServices {
  /** The largest payload, in bytes as it is stored. */
  readonly maxPayloadBytes: number;
  /** Pauses, resumes and limits queues, in all processes. */
  readonly control: QueueControl;
  /** Reports what the workers do, the throughput, and the audit log. */
  readonly activity: QueueActivity;
  /** Lists all jobs, live and finished, and runs, retries or cancels them. */
  readonly jobs: JobBrowser;
  /** What a person does to one job: enqueue, copy, retry with another payload, reschedule, delete. */
  readonly manual: ManualActions;
  /** Applies an action to all jobs that a filter matches, in the background. */
  readonly bulk: BulkOperations;
  /** Lists and retries failed jobs. */
  readonly failed: FailedJobs;
  /** Enqueues jobs on a schedule: a cron expression or an interval. */
  readonly recurring: RecurringJobs;
  /** Enqueues groups of jobs with callbacks. */
  readonly groups: JobGroups;
  /** Lists, replays and removes the subscriptions of events. */
  readonly subscriptions: Subscriptions;
  /** @internal */
  readonly engine: Engine;
  /** @internal `TableQueueOptions.redact`, in a form that never throws. */
  readonly redact: Redact;
  /** @internal */
  readonly codecs: Codecs;
  /** @internal */
  readonly waits: JobWaits;
  /** @internal */
  readonly instrumentation: Instrumentation | undefined;
  /** @internal The default logger of workers: as given, without redaction. */
  readonly logger: QueueLogger;
  /** @internal The workers of this queue that were started in this process. */
  readonly workers = new Set<() => WorkerHealth>();
  /** @internal */
  readonly healthReader: HealthReader;
  /** @internal Finds the transaction of a call. */
  readonly caller: CallerTransaction;
  /** @internal */
  readonly clock: DatabaseClock;
  /** @internal */
  readonly enqueuer: Enqueuer;
  /** @internal */
  protected readonly canceller: JobCanceller;
  /** @internal */
  protected readonly signals: JobSignals;

  /**
   * @param dataSource an initialized data source with the queue's entities (`tableQueueEntities`).
   * @throws DataSourceNotInitializedError if `dataSource.initialize()` was not awaited.
   * @throws EntityError if the entities are missing, or have several prefixes.
   * @throws UnsupportedDatabaseError for other databases than MySQL, MariaDB and SQLite through better-sqlite3.
   * @throws InvalidOptionError for an option with a wrong value, UnknownOptionError for one that does not exist.
   */
  constructor(
    readonly dataSource: DataSource,
    options: TableQueueOptions = {},
  ) {
    const { maxPayloadBytes, codecs, preparedStatements, clock, ambient, instrumentation, redact } =
      resolveTableQueueOptions(options);
    this.maxPayloadBytes = maxPayloadBytes;
    this.redact = redact;
    this.codecs = codecs;
    this.logger = options.logger ?? consoleLogger;
    this.clock = clock;
    assertDataSource(dataSource);
    if (!dataSource.isInitialized) {
      throw new DataSourceNotInitializedError();
    }
    const engine = createEngine(dataSource, clock, preparedStatements);
    const notifier = EnqueueNotifier.of(dataSource);
    const endedJobs = new EndedJobs(dataSource, engine, ambient.logger);
    const { orderKeys } = endedJobs;
    this.engine = engine;
    this.instrumentation = instrumentation;
    this.caller = new CallerTransaction(dataSource, ambient);
    const lengths = new QueueLengths(engine, ambient.logger);
    this.enqueuer = new Enqueuer(engine, notifier, orderKeys, lengths, maxPayloadBytes, codecs, instrumentation);
    this.canceller = new JobCanceller(dataSource, engine, this.caller, endedJobs);
    const offers = new SignalOffers(engine, notifier, ambient.logger);
    this.signals = new JobSignals(dataSource, engine, this.caller, notifier, offers, codecs, maxPayloadBytes);
    this.waits = new JobWaits(engine, codecs);
    this.control = new QueueControl(engine, ambient.logger, lengths);
    this.activity = new QueueActivity(engine, codecs);
    this.failed = new FailedJobs(engine, codecs, this.caller, notifier, orderKeys);
    this.recurring = new RecurringJobs(engine, codecs, maxPayloadBytes, (job) =>
      notifier.notify(noticeFor(job.queue, [job])),
    );
    this.groups = new JobGroups(engine, this.caller, this.enqueuer);
    this.subscriptions = new Subscriptions(engine, this.caller, this.enqueuer);
    this.jobs = new JobBrowser(engine, codecs, notifier, endedJobs);
    this.manual = new ManualActions(engine, this.enqueuer, notifier, orderKeys);
    this.bulk = new BulkOperations(engine, new BulkRunner(engine, notifier, endedJobs));
    this.healthReader = new HealthReader(dataSource, engine, maxPayloadBytes);
    warnOfWrongType(dataSource, ambient.logger);
    instrumentation?.observe(
      new SharedFigures(dataSource, engine, ambient.logger, () => checkHealth(this.healthReader, this.workers)),
    );
  }
}
