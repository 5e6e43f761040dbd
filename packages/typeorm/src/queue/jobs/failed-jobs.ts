import type { ActionOptions } from '../../action-options.js';
import { forEachBatch } from '../../async/batches.js';
import type { Codecs } from '../../codec/codecs.js';
import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { assertStepName } from '../../definition/names.js';
import type { Duration } from '../../duration.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Engine, executeIn } from '../../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { sql } from '../../engine/sql.js';
import { inKeyOrder } from '../../store/base/locks/fence.js';
import { queuesWithJobs } from '../../store/base/order/lane.js';
import { type SortKey, headOf } from '../../store/base/order/sort-key.js';
import { type BrowseCursor, type BrowseFilter } from '../../store/browse/browse-filter.js';
import { BROWSE_START, pageFinderFor } from '../../store/browse/find-page.js';
import { findInLane } from '../../store/reports/find-in-lane.js';
import { type JobSnapshot, findJobs } from '../../store/reports/find-jobs.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { readClock } from '../../store/base/read-clock.js';
import { retryFinishedJobs } from '../../store/finished/retry-finished-jobs.js';
import { allPromises } from '../../async/thenable.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { type CallerTransaction, TRANSACTION_OPTIONS, type TransactionOptions } from '../enqueue/caller-transaction.js';
import { decodeJobs } from './decode-jobs.js';
import { type FailedErrors, type FailedErrorsOptions, readFailedErrors } from '../reports/failed-errors.js';
import { FAILED_FILTER_OPTIONS, type FailedFilter, resolveFailedFilter } from './failed-filter.js';
import { cursorFromText, textOfCursor } from './job-search.js';
import { muteError, unmuteError } from './mute-error.js';
import type { OrderKeyAdvancer } from './order-key-advancer.js';

/** Options of `failed.list`. */
export interface FailedListOptions extends FailedFilter {
  /** The size of a page: 1 to 1,000 jobs. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** A page of failed jobs. */
export interface FailedPage {
  /** The jobs, the latest failure first. */
  readonly jobs: readonly JobSnapshot[];
  /** Pass it as `after` to get the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** The result of `failed.retryMany`. */
export interface RetryCounts {
  /** How many jobs were retried. */
  readonly retried: number;
  /** How many jobs stay failed, because another job has their unique key. */
  readonly conflicts: number;
}

const FIND = { purpose: 'find failed jobs', readOnly: true };
const RETRY = { purpose: 'retry jobs', atomic: true };

/** Lists, counts and retries failed jobs: `queue.failed`. */
export class FailedJobs {
  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly codecs: Codecs,
    private readonly caller: CallerTransaction,
    private readonly notifier: EnqueueNotifier,
    private readonly orderKeys: OrderKeyAdvancer,
  ) {}

  /**
   * Lists failed jobs page by page, the latest failure first. With `only` or `errorIncludes` it also reads the jobs
   * that do not match, until the page is full.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong option.
   */
  async list(options: FailedListOptions = {}): Promise<FailedPage> {
    assertKnownOptions(options, [...FAILED_FILTER_OPTIONS, 'limit', 'after']);
    const filter = resolveFailedFilter(options);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const findPage = pageFinderFor(filter);
    const isSelective = filter.name !== null || filter.error !== null;
    const found: BrowseCursor[] = [];
    let end: BrowseCursor | undefined;
    await forEachBatch(options.after === undefined ? BROWSE_START : cursorFromText(options.after), async (after) => {
      const most = isSelective ? MOST_IDS : limit - found.length;
      const page = await this.engine.execute((dialect) => findPage(dialect, after, most), FIND);
      found.push(...page.wanted);
      end = page.end;
      return found.length < limit ? page.end : undefined;
    });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : end;
    const ids = shown.map(({ id }) => id);
    const jobs = await decodeJobs(this.codecs, await this.engine.execute((dialect) => findJobs(dialect, ids), FIND));
    const byId = new Map(jobs.map((job) => [job.id, job]));
    return {
      jobs: shown.flatMap(({ id }) => byId.get(uuidFromBytes(id)) ?? []).filter(({ state }) => state === 'failed'),
      next: last && textOfCursor(last),
    };
  }

  /**
   * Groups the latest failed jobs by error: by its name and the first line of its message, without numbers, UUIDs,
   * quoted values and the like. It examines up to about 10,000 jobs, for up to 2 s, and returns how far it got. Pass a
   * `fingerprint` as `errorFingerprint` to `jobs.list`, or to `bulk.start` to retry its jobs.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong option.
   */
  async errors(options: FailedErrorsOptions = {}): Promise<FailedErrors> {
    return readFailedErrors(this.engine, options);
  }

  /**
   * Mutes an error for a time, in all processes: `errors` then lists it after all others, with `mutedUntil`. Nothing
   * else changes: its jobs stay failed, and health checks, counts and filters include them. A mute of a muted error
   * replaces the earlier one.
   *
   * @param fingerprint the `fingerprint` of an error in `errors`.
   * @param duration 1 s to 90 days.
   * @returns when the mute ends, by the database's clock.
   * @throws InvalidOptionError, UnknownOptionError for invalid arguments.
   */
  async mute(fingerprint: string, duration: Duration, options: ActionOptions = {}): Promise<Date> {
    return muteError(this.engine, fingerprint, duration, options);
  }

  /**
   * Ends the mute of an error before its time.
   *
   * @returns whether the error was muted.
   * @throws InvalidOptionError, UnknownOptionError for invalid arguments.
   */
  async unmute(fingerprint: string, options: ActionOptions = {}): Promise<boolean> {
    return unmuteError(this.engine, fingerprint, options);
  }

  /**
   * Counts the failed jobs that `retryMany` would retry. It reads all failed jobs of the queue, or of all queues, in
   * batches of 400.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong filter.
   */
  async count(filter: FailedFilter = {}): Promise<number> {
    assertKnownOptions(filter, FAILED_FILTER_OPTIONS);
    let total = 0;
    await this.forEachPage(resolveFailedFilter(filter), async (jobs) => {
      total += jobs.length;
    });
    return total;
  }

  /**
   * Retries a failed, cancelled or expired job: it runs again with the same id, behind the waiting jobs, and has all
   * its attempts again. With `manager` or `queryRunner` the retry is part of their transaction.
   *
   * A unique key that lasts until the job is finished (`while: 'unfinished'`) is taken again. The call waits for other
   * transactions that take or free it.
   *
   * @example
   * ```ts
   * const isRetried = await queue.failed.retry(id);
   * ```
   *
   * A durable job keeps the results of its steps, and runs failed steps again.
   *
   * @param options `from`: also runs this step or wait again, and all that were stored after it.
   * @returns whether the job was retried. False if it is live, has succeeded or does not exist, and for a child of a
   *   durable job: retry that job. Also false if a
   *   transaction at REPEATABLE READ began before the job first failed, or if the connection broke after the first try.
   * @throws DuplicateJobError if another job has the unique key now: its `id` names that job. Nothing was changed.
   * @throws InvalidOptionError for an invalid id, or for a step that the job has not stored; InvalidNameError,
   *   UnknownOptionError; OutsideTransactionError as `enqueue` does.
   */
  async retry(id: string, options: TransactionOptions & { readonly from?: string } = {}): Promise<boolean> {
    assertJobId(id);
    assertKnownOptions(options, ['from', ...TRANSACTION_OPTIONS]);
    const { from, ...transaction } = options;
    if (from !== undefined) {
      assertStepName(from);
    }
    const handle = this.caller.findForChange(transaction, 'The retry of a job');
    const requests = [{ id: uuidToBytes(id), ...(from !== undefined && { fromStep: from }) }];
    const factory = (dialect: Dialect) => retryFinishedJobs(dialect, requests, false);
    const { retried, conflicts, orderKeys } = await executeIn(this.engine, handle, factory, RETRY);
    const [conflict] = conflicts;
    if (conflict) {
      throw conflict;
    }
    for (const notice of noticesForReady(retried)) {
      await this.notifier.notifyAfterCommit(handle, notice);
    }
    await this.orderKeys.afterCommit(handle, orderKeys);
    return retried.length > 0;
  }

  /**
   * Retries failed jobs as `retry` does, in each queue the oldest failure first, in batches that each commit on their
   * own. It ignores jobs that fail while it runs. Two simultaneous calls share the work. Jobs whose unique key another
   * job has stay failed.
   *
   * @returns how many jobs this call has retried, and how many stay failed because of their unique key.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong filter.
   */
  async retryMany(filter: FailedFilter): Promise<RetryCounts> {
    assertKnownOptions(filter, FAILED_FILTER_OPTIONS);
    const wanted = resolveFailedFilter(filter);
    const before = Math.min(wanted.before, await this.engine.execute(readClock, FIND));
    const total = { retried: 0, conflicts: 0 };
    await this.forEachPage({ ...wanted, before }, async (jobs) => {
      const requests = inKeyOrder(jobs).map(({ id, position }) => ({ id, finishedAt: position }));
      const retry = (dialect: Dialect) => retryFinishedJobs(dialect, requests, true);
      const { retried, conflicts, orderKeys } = await this.engine.execute(retry, RETRY);
      await allPromises(noticesForReady(retried).map((notice) => this.notifier.notify(notice)));
      await this.orderKeys.advance(orderKeys);
      total.retried += retried.length;
      total.conflicts += conflicts.length;
    });
    return total;
  }

  /** Calls a function with the failed jobs of each queue, batch by batch, the oldest failure first. */
  private async forEachPage(
    { queue, name, error, from, before }: BrowseFilter,
    each: (jobs: readonly SortKey[]) => Promise<void>,
  ): Promise<void> {
    const isNamed = name === null ? sql`TRUE` : sql`name = ${name}`;
    const hasError = error === null ? sql`TRUE` : sql`INSTR(last_error, ${error}) > 0`;
    for (const one of queue === null ? await this.engine.execute(queuesWithJobs, FIND) : [queue]) {
      const lane = { queue: one, state: 'failed', lane: 0 } as const;
      await forEachBatch(headOf(from), async (after) => {
        const page = await this.engine.execute(
          (dialect) => findInLane(dialect, lane, sql`${isNamed} AND ${hasError}`, after, before),
          FIND,
        );
        await each(page.jobs);
        return page.end;
      });
    }
  }
}
