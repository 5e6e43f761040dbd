import { type AnyJobDefinition, type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { isOfClient } from '../engine/transaction-handle.js';
import { InvalidOptionError } from '../errors/index.js';
import { type QueueLogger, safeLogger } from '../logger.js';
import { assertKnownOptions } from '../options.js';
import { TRANSACTION_OPTIONS, type TransactionOptions } from '../queue/enqueue/caller-transaction.js';
import type { TableQueue } from '../queue/table-queue.js';
import { type JobHandler, assertHandlers, handlersByName } from '../worker/handlers/job-handler.js';
import { type DrainRequest, DrainSequence } from './drain-sequence.js';
import type { DrainedJob } from './drained-job.js';
import { DrainFailedError, TestingStateError } from './errors/index.js';
import { InlineRuns } from './inline-runs.js';
import { JobDrain } from './job-drain.js';
import { JobExpectations } from './job-expectations.js';
import type { AnyJobMatch, JobMatch, JobWait, TestingJob } from './job-match.js';
import { TestingClock } from './testing-clock.js';
import { TransactionEngine } from './transaction-engine.js';
import { TransactionScope } from './transaction-scope.js';

/** Options of `drain`. */
export interface DrainOptions extends TransactionOptions {
  /**
   * What to do if a handler has failed or is missing: `'throw'` a `DrainFailedError` at the end of the drain, or
   * `'return'` the attempt with the others. Default: `'throw'`.
   */
  readonly failures?: 'throw' | 'return';
  /**
   * `'every step'`: durable jobs run again from the beginning after each step that they store, as after a crash there.
   * A job whose handler then does not call a stored step again fails with an `UnrepeatedStepError`. Code between
   * steps that may not run twice shows in the assertions of the test. Default: they do not run again.
   */
  readonly restart?: 'every step';
}

/**
 * A queue for tests: it runs jobs when the test calls `drain`, finds enqueued jobs, and advances the clock. Jobs are
 * stored, claimed and completed in real tables, by the code of the worker.
 *
 * It runs nothing in the background and needs no cleanup, unless jobs run inline: see `runInline`.
 *
 * @example
 * ```ts
 * const testing = new TestingQueue(queue, [jobHandler(sendMail, mailer)]);
 * await queue.enqueue(sendMail, { to: 'ada@example.org' });
 * await testing.expectEnqueued(sendMail, { payload: { to: 'ada@example.org' } });
 * await testing.drain();
 * ```
 */
export class TestingQueue {
  private readonly logger: QueueLogger;
  private readonly expectations: JobExpectations;
  private readonly inline: InlineRuns;
  private readonly drains = new DrainSequence((request) => this.drainNow(request));

  /**
   * @param handlers the handlers of the jobs. Default: none, for tests that only check what was enqueued.
   * @param options `logger` receives warnings. Default: the logger of the queue.
   * @throws DuplicateHandlerError if two handlers are for one job.
   * @throws InvalidOptionError, UnknownOptionError for wrong options.
   */
  constructor(
    readonly queue: TableQueue,
    private readonly handlers: readonly JobHandler[] = [],
    options: { readonly logger?: QueueLogger } = {},
  ) {
    assertKnownOptions(options, ['logger']);
    this.logger = safeLogger(options.logger ?? queue.logger);
    assertHandlers(handlers);
    handlersByName(handlers);
    this.expectations = new JobExpectations(queue);
    this.inline = new InlineRuns(
      queue.dataSource,
      (run) => this.drains.startInline(run),
      (onBegin) => this.drains.next({}, onBegin),
    );
  }

  /**
   * The `TestingClock` of the queue.
   *
   * @throws TestingStateError if the queue has no `TestingClock`.
   */
  get clock(): TestingClock {
    if (this.queue.clock instanceof TestingClock) {
      return this.queue.clock;
    }
    throw new TestingStateError(
      'The queue has no testing clock: new TableQueue(dataSource, { clock: new TestingClock() })',
    );
  }

  /**
   * Runs due jobs one after another, with the jobs that they enqueue and retries without a wait, until no job is due.
   * Due schedules fire, and jobs of dead workers run again. Jobs that are due later wait for `clock.advance`. Paused
   * and limited queues, and queues without a handler, keep their jobs.
   *
   * With `manager` or `queryRunner` everything happens in that transaction, and a rollback undoes it. What handlers do
   * with the data source, and with injected repositories, is part of it. Schedules and dead workers are then ignored.
   *
   * @returns the attempts since the last drain, in order, with inline ones.
   * @throws DrainFailedError if a handler has failed or is missing, unless `failures` is `'return'`.
   * @throws EndlessDrainError after 1,000 attempts.
   * @throws TestingStateError if a handler calls it.
   * @throws InvalidOptionError, UnknownOptionError for wrong options.
   */
  async drain(options: DrainOptions = {}): Promise<readonly DrainedJob[]> {
    assertKnownOptions(options, ['failures', 'restart', ...TRANSACTION_OPTIONS]);
    const { failures = 'throw', restart, ...transaction } = options;
    if (restart !== undefined && restart !== 'every step') {
      throw new InvalidOptionError('restart', restart, "'every step'");
    }
    if (failures !== 'throw' && failures !== 'return') {
      throw new InvalidOptionError('failures', failures, "'throw' or 'return'");
    }
    if (this.drains.isInside) {
      throw new TestingStateError(
        'A handler called drain(), which runs it. The drain also runs the jobs that the handler enqueues.',
      );
    }
    const queryRunner = this.queue.caller.find(transaction);
    if (queryRunner && isOfClient(queryRunner)) {
      throw new InvalidOptionError('via', '[ClientTransaction]', 'left out: handlers run in transactions of TypeORM');
    }
    if (queryRunner && !queryRunner.isTransactionActive) {
      throw new InvalidOptionError('queryRunner', '[QueryRunner]', 'one with an open transaction');
    }
    const earlier = this.inline.take();
    const jobs = [...earlier, ...(await this.drains.next({ queryRunner, restarts: restart !== undefined }))];
    if (failures === 'throw' && jobs.some(({ error }) => error !== undefined)) {
      throw new DrainFailedError(jobs);
    }
    return jobs;
  }

  /**
   * Runs jobs inline until `stopInline`: `await` of an enqueue outside a transaction, or of a commit, returns when the
   * jobs have finished, with all jobs that they have enqueued. Delayed jobs, retries after a wait and schedules wait
   * for `clock.advance` and `drain`.
   *
   * Errors of handlers are not thrown to the caller of `enqueue`, whose transaction is committed, but by the next
   * `drain`.
   */
  runInline(): void {
    this.inline.start();
  }

  /** Ends `runInline`. Resolves when no job runs, except a caller that is a handler. Can be called again. */
  async stopInline(): Promise<void> {
    this.inline.stop();
    if (!this.drains.isInside) {
      await this.drains.idle();
    }
  }

  /**
   * Returns all jobs, or the jobs of a definition that match: live and finished, oldest first. Jobs with `keep: 'none'`
   * are gone after they succeed. With `manager` or `queryRunner` it sees the changes of that transaction.
   *
   * @throws InvalidOptionError, UnknownOptionError for a wrong match.
   */
  async jobs(): Promise<TestingJob[]>;
  async jobs<Input, Output>(
    definition: JobDefinition<Input, Output>,
    match?: JobMatch<Input>,
  ): Promise<TestingJob<Input>[]>;
  async jobs(definition?: AnyJobDefinition, match: AnyJobMatch = {}): Promise<TestingJob[]> {
    if (definition !== undefined) {
      assertJobDefinition('definition', definition);
    }
    return this.expectations.find(definition?.name, match);
  }

  /**
   * Asserts that a job was enqueued, whatever its state is now.
   *
   * @returns the oldest job that matches.
   * @throws JobExpectationError if no job matches. Its message lists the enqueued jobs.
   * @throws InvalidOptionError, UnknownOptionError for a wrong match.
   */
  async expectEnqueued<Input, Output>(
    definition: JobDefinition<Input, Output>,
    match: JobMatch<Input> = {},
  ): Promise<TestingJob<Input>> {
    assertJobDefinition('definition', definition);
    return this.expectations.expectOne(definition.name, match) as Promise<TestingJob<Input>>;
  }

  /**
   * Asserts that no matching job was enqueued; without a definition, no job at all.
   *
   * @throws JobExpectationError if a job matches. Its message shows the job.
   * @throws InvalidOptionError, UnknownOptionError for a wrong match.
   */
  async expectNotEnqueued<Input, Output>(
    definition?: JobDefinition<Input, Output>,
    match: JobMatch<Input> = {},
  ): Promise<void> {
    if (definition !== undefined) {
      assertJobDefinition('definition', definition);
    }
    return this.expectations.expectNone(definition?.name, match);
  }

  /**
   * Waits until the oldest matching job has succeeded, in an application with a running worker, in this process or
   * another. The job may be enqueued later. It returns at once when this process enqueues and finishes the job.
   *
   * @returns the finished job.
   * @throws JobFailedError, JobCancelledError, JobExpiredError, JobGoneError as `TableQueue.waitFor` does.
   * @throws JobExpectationError if no matching job was enqueued in time; WaitTimeoutError if it has not finished in
   *   time.
   * @throws InvalidOptionError, UnknownOptionError for wrong options; the reason of the signal when that is aborted.
   */
  async waitFor<Input, Output>(
    definition: JobDefinition<Input, Output>,
    wait: JobWait<Input> = {},
  ): Promise<TestingJob<Input>> {
    assertJobDefinition('definition', definition);
    return this.expectations.waitForOne(definition.name, wait) as Promise<TestingJob<Input>>;
  }

  private drainNow({ queryRunner, restarts = false }: DrainRequest): Promise<readonly DrainedJob[]> {
    const { queue, handlers, logger } = this;
    if (!queryRunner) {
      return new JobDrain({ queue, handlers, engine: queue.engine, isInside: false, restarts, logger }).run();
    }
    const engine = new TransactionEngine(queue.engine, queryRunner);
    const drain = new JobDrain({ queue, handlers, engine, isInside: true, restarts, logger });
    return TransactionScope.of(queue.dataSource).run(queryRunner, () => drain.run());
  }
}
