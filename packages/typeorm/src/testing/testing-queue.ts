import { AsyncLocalStorage } from 'node:async_hooks';

import type { QueryRunner } from 'typeorm';

import { type AnyJobDefinition, type JobDefinition, assertJobDefinition } from '../definition/job-definition.js';
import { InvalidOptionError } from '../errors/index.js';
import { type QueueLogger, safeLogger, consoleLogger } from '../logger.js';
import { assertKnownOptions } from '../options.js';
import type { TransactionOptions } from '../queue/enqueue/caller-transaction.js';
import type { TableQueue } from '../queue/table-queue.js';
import { type JobHandler, handlersByName } from '../worker/handlers/job-handler.js';
import type { DrainedJob } from './drained-job.js';
import { DrainFailedError, TestingStateError } from './errors/index.js';
import { InlineRuns } from './inline-runs.js';
import { JobDrain } from './job-drain.js';
import { JobExpectations } from './job-expectations.js';
import type { AnyJobMatch, JobMatch, JobWait, TestingJob } from './job-match.js';
import { TestingClock } from './testing-clock.js';
import { TransactionEngine } from './transaction-engine.js';
import { TransactionScope } from './transaction-scope.js';

/** What `drain` takes. */
export interface DrainOptions extends TransactionOptions {
  /**
   * What to do when a handler has failed, or is missing: `'throw'` a `DrainFailedError` when all is done, or `'return'` it
   * among the runs. Default: `'throw'`.
   */
  readonly failures?: 'throw' | 'return';
}

/** A drain under way, and what its handlers have set off in other testing queues, which nobody inside it waits for. */
interface OpenDrain {
  readonly by: TestingQueue;
  readonly started: Promise<void>[];
  isOver: boolean;
}

const openDrain = new AsyncLocalStorage<OpenDrain>();

/** The drain that has called; not what a handler has left behind it, a timer say, when that is over. */
function enclosingDrain(): OpenDrain | undefined {
  const drain = openDrain.getStore();
  return drain?.isOver ? undefined : drain;
}

/**
 * A queue in a test: runs its jobs when the test says so, looks at what was enqueued, and moves the clock. Jobs are stored,
 * claimed and ended in the real tables, by the code that workers run.
 *
 * It runs nothing by itself, and leaves nothing open when the test is over, unless jobs run inline: see `runInline`.
 */
export class TestingQueue {
  private readonly logger: QueueLogger;
  private readonly expectations: JobExpectations;
  private readonly inline: InlineRuns;
  /** Resolves when the last drain that was asked for is over. */
  private lastDrain: Promise<unknown> = Promise.resolve();

  /**
   * @param handlers what the jobs are run by; none where a test only looks at what was enqueued.
   * @param options `logger`: where warnings go. Default: to the console.
   * @throws DuplicateHandlerError, UnknownOptionError, InvalidOptionError
   */
  constructor(
    readonly queue: TableQueue,
    private readonly handlers: readonly JobHandler[] = [],
    options: { readonly logger?: QueueLogger } = {},
  ) {
    assertKnownOptions(options, ['logger']);
    this.logger = safeLogger(options.logger ?? consoleLogger);
    handlersByName(handlers);
    this.expectations = new JobExpectations(queue);
    this.inline = new InlineRuns(
      queue.dataSource,
      (run) => this.promiseFor(run),
      (onBegin) => this.drainNext(undefined, onBegin),
    );
  }

  /**
   * The clock of the queue.
   *
   * @throws TestingStateError when the queue was made without a `TestingClock`.
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
   * Runs the jobs that are due, those that they enqueue, and retries without a back-off, until nothing is due, one after
   * the other. Schedules that are due fire, and jobs of workers whose lease is over are run again. What is due later waits
   * for `clock.advance`; what a pause or a limit holds back stays where it is, and so do jobs of queues without a handler.
   *
   * With `manager` or `queryRunner` all of it happens in the transaction open there: it runs what that has enqueued, and
   * rolled back it has never been. What handlers do with the data source, and with repositories that they got injected, is
   * part of it too. Schedules and dead workers are left alone then.
   *
   * @returns what ran since the last drain, in its order, inline runs included.
   * @throws DrainFailedError when handlers have failed or are missing, and `failures` does not say otherwise.
   * @throws EndlessDrainError after 1,000 runs.
   * @throws TestingStateError when a handler of the drain calls it.
   * @throws InvalidOptionError, UnknownOptionError
   */
  async drain(options: DrainOptions = {}): Promise<readonly DrainedJob[]> {
    const { failures = 'throw', ...transaction } = options;
    if (failures !== 'throw' && failures !== 'return') {
      throw new InvalidOptionError('failures', failures, "'throw' or 'return'");
    }
    if (enclosingDrain()?.by === this) {
      throw new TestingStateError(
        'drain() was called by what it runs. The jobs that a handler enqueues run behind it.',
      );
    }
    const queryRunner = this.queue.caller.find(transaction);
    if (queryRunner && !queryRunner.isTransactionActive) {
      throw new InvalidOptionError('queryRunner', '[QueryRunner]', 'one with an open transaction');
    }
    const earlier = this.inline.take();
    const jobs = [...earlier, ...(await this.drainNext(queryRunner))];
    if (failures === 'throw' && jobs.some(({ error }) => error !== undefined)) {
      throw new DrainFailedError(jobs);
    }
    return jobs;
  }

  /**
   * From now on jobs run at once, until `stopInline`: whoever enqueues one waits until it has run. `await` of an enqueue
   * outside a transaction, and of a commit, returns when the jobs have ended, with all that they have enqueued. Delayed
   * jobs, retries after a back-off and schedules wait for `clock.advance` and `drain`.
   *
   * What a handler throws does not come to who has enqueued, whose transaction is committed: the next `drain` throws it.
   */
  runInline(): void {
    this.inline.start();
  }

  /** Jobs wait for `drain` again. Resolves when none runs any more, but for the one that calls it. Idempotent. */
  async stopInline(): Promise<void> {
    this.inline.stop();
    if (enclosingDrain()?.by !== this) {
      await this.lastDrain;
    }
  }

  /**
   * The jobs of a definition that meet a match, or all jobs: live and finished, oldest first. A job of a definition with
   * `keep: 'none'` leaves nothing when it succeeds. With `manager` or `queryRunner` as the transaction open there sees them.
   *
   * @throws InvalidOptionError, UnknownOptionError
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
   * Expects that a job was enqueued, whatever has come of it since.
   *
   * @returns the oldest one that meets the match.
   * @throws JobExpectationError when there is none; its text shows what was enqueued instead.
   * @throws InvalidOptionError, UnknownOptionError
   */
  async expectEnqueued<Input, Output>(
    definition: JobDefinition<Input, Output>,
    match: JobMatch<Input> = {},
  ): Promise<TestingJob<Input>> {
    assertJobDefinition('definition', definition);
    return this.expectations.expectOne(definition.name, match) as Promise<TestingJob<Input>>;
  }

  /**
   * Expects that no such job was enqueued; without a definition, none at all.
   *
   * @throws JobExpectationError when there is one; its text shows it.
   * @throws InvalidOptionError, UnknownOptionError
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
   * Waits until a job has succeeded, in an application whose worker runs, in this process or another: for the oldest one
   * that meets the match, which may still be to be enqueued. Nobody sleeps: what this process enqueues and ends is heard of.
   *
   * @returns the job as it is then.
   * @throws JobFailedError, JobCancelledError when it has ended so; JobGoneError as `TableQueue.waitFor` does.
   * @throws JobExpectationError when none has come in time; WaitTimeoutError when it has not ended in time.
   * @throws InvalidOptionError, UnknownOptionError, and the reason of the signal.
   */
  async waitFor<Input, Output>(
    definition: JobDefinition<Input, Output>,
    wait: JobWait<Input> = {},
  ): Promise<TestingJob<Input>> {
    assertJobDefinition('definition', definition);
    return this.expectations.waitForOne(definition.name, wait) as Promise<TestingJob<Input>>;
  }

  /**
   * Inside a handler nothing waits: what a drain of this queue rings for runs behind it anyway, and two queues whose
   * handlers waited for one another's would wait for ever.
   */
  private promiseFor(run: () => Promise<void>): Promise<void> | undefined {
    const around = enclosingDrain();
    if (!around) {
      return run();
    }
    if (around.by !== this) {
      around.started.push(run());
    }
    return undefined;
  }

  /** One drain at a time; what it has set off is waited for when its turn is over. */
  private async drainNext(queryRunner: QueryRunner | undefined, onBegin = () => {}): Promise<readonly DrainedJob[]> {
    const around = enclosingDrain();
    const drain: OpenDrain = { by: this, started: [], isOver: false };
    const turn = this.lastDrain.then(() => {
      onBegin();
      return openDrain.run(drain, () => this.drainNow(queryRunner)).finally(() => (drain.isOver = true));
    });
    this.lastDrain = turn.catch(() => undefined);
    const jobs = await turn;
    if (around) {
      around.started.push(...drain.started);
      return jobs;
    }
    while (drain.started.length > 0) {
      await drain.started.shift();
    }
    return jobs;
  }

  private drainNow(queryRunner: QueryRunner | undefined): Promise<readonly DrainedJob[]> {
    const { queue, handlers, logger } = this;
    if (!queryRunner) {
      return new JobDrain({ queue, handlers, engine: queue.engine, isInside: false, logger }).run();
    }
    const engine = new TransactionEngine(queue.engine, queryRunner);
    const drain = new JobDrain({ queue, handlers, engine, isInside: true, logger });
    return TransactionScope.of(queue.dataSource).run(queryRunner, () => drain.run());
  }
}
