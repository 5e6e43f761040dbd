import { forEachBatch } from '../../async/batches.js';
import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import type { Engine } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, optionalTime, wholeNumber } from '../../options.js';
import type { FailureCursor } from '../../store/base/failure-cursor.js';
import { inKeyOrder } from '../../store/base/fence.js';
import { NEWEST_FIRST, OLDEST_FIRST } from '../../store/base/next-failures.js';
import { type FailureFilter, findFailedJobs } from '../../store/reports/find-failed-jobs.js';
import { type JobSnapshot, findJobs } from '../../store/reports/find-jobs.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { readClock } from '../../store/base/read-clock.js';
import { retryFinishedJobs } from '../../store/history/retry-finished-jobs.js';
import { allPromises } from '../../async/thenable.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import type { CallerTransaction, TransactionOptions } from '../enqueue/caller-transaction.js';
import { cursorFromText } from './job-search.js';

/** Which failed jobs: those for which everything holds that is given; `{}` are all. */
export interface FailedFilter {
  readonly queue?: QueueName;
  /** Only jobs of this definition. */
  readonly only?: AnyJobDefinition;
  /** Only jobs whose error has this text in it, upper and lower case as given. The stack and the causes count too. */
  readonly errorIncludes?: string;
  /** Only jobs that failed at this time or later. */
  readonly finishedAfter?: Date;
  /** Only jobs that failed before this time. */
  readonly finishedBefore?: Date;
}

/** What `list` takes. */
export interface FailedListOptions extends FailedFilter {
  /** How many jobs a page has at most: 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** The `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** A page of failed jobs. */
export interface FailedPage {
  /** The last one to fail comes first. */
  readonly jobs: readonly JobSnapshot[];
  /** For `after`; undefined where there are no more. */
  readonly next: string | undefined;
}

const FILTER_OPTIONS = ['queue', 'only', 'errorIncludes', 'finishedAfter', 'finishedBefore'];
const FIND = { purpose: 'look for failed jobs', readOnly: true };
const RETRY = { purpose: 'retry jobs', atomic: true };

/** Jobs that have failed for good: looks at them and has them run again. */
export class FailedJobs {
  constructor(
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly notifier: EnqueueNotifier,
  ) {}

  /**
   * Failed jobs, the newest first, page by page. Only a filter by `only` or `errorIncludes` reads jobs it does not
   * return: as many as fail to match before a page is full.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async list(options: FailedListOptions = {}): Promise<FailedPage> {
    assertKnownOptions(options, [...FILTER_OPTIONS, 'limit', 'after']);
    const filter = resolveFilter(options);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const found: FailureCursor[] = [];
    const isChoosy = filter.name !== null || filter.error !== null;
    let place: FailureCursor | undefined;
    await forEachBatch(
      options.after === undefined ? NEWEST_FIRST.start : failureCursorFrom(options.after),
      async (after) => {
        const most = isChoosy ? MOST_IDS : limit - found.length;
        const part = await this.engine.execute(
          (dialect) => findFailedJobs(dialect, filter, NEWEST_FIRST, after, most),
          FIND,
        );
        found.push(...part.wanted);
        place = part.end;
        return found.length < limit ? part.end : undefined;
      },
    );
    const page = found.slice(0, limit);
    const end = found.length > limit ? page.at(-1) : place;
    const jobs = await this.engine.execute(
      (dialect) =>
        findJobs(
          dialect,
          page.map(({ id }) => id),
        ),
      FIND,
    );
    const byId = new Map(jobs.map((job) => [job.id, job]));
    return {
      jobs: page.flatMap(({ id }) => byId.get(uuidFromBytes(id)) ?? []).filter(({ state }) => state === 'failed'),
      next: end && `${end.finishedAt}.${uuidFromBytes(end.id)}`,
    };
  }

  /**
   * Counts failed jobs: those that `retryMany` would have run again. It looks at each of the queue, or of all queues,
   * in batches of 400; by `only` and `errorIncludes` in the history too.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async count(filter: FailedFilter = {}): Promise<number> {
    assertKnownOptions(filter, FILTER_OPTIONS);
    const wanted = resolveFilter(filter);
    let total = 0;
    await forEachBatch(OLDEST_FIRST.start, async (after) => {
      const part = await this.engine.execute(
        (dialect) => findFailedJobs(dialect, wanted, OLDEST_FIRST, after, MOST_IDS),
        FIND,
      );
      total += part.wanted.length;
      return part.end;
    });
    return total;
  }

  /**
   * Has a failed or cancelled job run again, behind the jobs that wait: the same job under the same id, with all its
   * attempts before it again. With `manager` or `queryRunner` as part of the transaction open there.
   *
   * @returns whether it was put back: false for a job that lives, has succeeded or does not exist; in a transaction at
   *   REPEATABLE READ that does not see it yet, for one that was put back and has ended again since that began; and
   *   after the connection broke also for one that was put back by the first try.
   * @throws InvalidOptionError, UnknownOptionError, OutsideTransactionError
   */
  async retry(id: string, transaction: TransactionOptions = {}): Promise<boolean> {
    assertJobId(id);
    const queryRunner = this.caller.findForChange(transaction, 'The retry of a job');
    const requests = [{ id: uuidToBytes(id) }];
    const retried = queryRunner
      ? await this.engine.executeOn(
          queryRunner,
          (dialect) => retryFinishedJobs(dialect, requests, false),
          RETRY.purpose,
        )
      : await this.engine.execute((dialect) => retryFinishedJobs(dialect, requests, false), RETRY);
    for (const ring of noticesForReady(retried)) {
      await (queryRunner ? this.notifier.notifyAfterCommit(queryRunner, ring) : this.notifier.notify(ring));
    }
    return retried.length > 0;
  }

  /**
   * Has failed jobs run again as `retry` does, the oldest first: in batches that each commit by themselves, never in a
   * transaction of the caller's. Jobs that fail while it runs are left alone, also those it has put back itself. Two
   * calls at the same time share the work.
   *
   * @returns how many this call has put back.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async retryMany(filter: FailedFilter): Promise<number> {
    assertKnownOptions(filter, FILTER_OPTIONS);
    const wanted = resolveFilter(filter);
    const before = Math.min(wanted.before, await this.engine.execute(readClock, FIND));
    let total = 0;
    await forEachBatch(OLDEST_FIRST.start, async (after) => {
      const part = await this.engine.execute(
        (dialect) => findFailedJobs(dialect, { ...wanted, before }, OLDEST_FIRST, after, MOST_IDS),
        FIND,
      );
      const requests = inKeyOrder(part.wanted);
      const retried = await this.engine.execute((dialect) => retryFinishedJobs(dialect, requests, true), RETRY);
      await allPromises(noticesForReady(retried).map((ring) => this.notifier.notify(ring)));
      total += retried.length;
      return part.end;
    });
    return total;
  }
}

function resolveFilter(filter: FailedFilter): FailureFilter {
  const { queue, only, errorIncludes, finishedAfter, finishedBefore } = filter;
  if (queue !== undefined) {
    assertQueueName(queue);
  }
  if (only !== undefined) {
    assertJobDefinition('only', only);
  }
  if (errorIncludes !== undefined && (typeof errorIncludes !== 'string' || errorIncludes === '')) {
    throw new InvalidOptionError('errorIncludes', errorIncludes, 'a text of at least one character');
  }
  return {
    queue: queue ?? null,
    name: only?.name ?? null,
    error: errorIncludes ?? null,
    from: optionalTime('finishedAfter', finishedAfter) ?? 0,
    before: optionalTime('finishedBefore', finishedBefore) ?? Number.MAX_SAFE_INTEGER,
  };
}

function failureCursorFrom(cursor: string): FailureCursor {
  const { at, id } = cursorFromText(cursor);
  return { finishedAt: at, id };
}
