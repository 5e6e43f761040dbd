import type { Codecs } from '../../codec/codecs.js';
import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { defined } from '../../defined.js';
import { assertKey, assertStepName } from '../../definition/names.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { statesByKey } from '../../store/browse/states-by-key.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import type { JobCount } from '../../store/base/jobs/job-count.js';
import { type JobSnapshot, type JobSummary, findJobs } from '../../store/reports/find-jobs.js';
import { findSummaries } from '../../store/reports/find-summaries.js';
import { type JobLogLine, listLog } from '../../store/reports/list-log.js';
import { type JobRelations, findJobRelations } from '../../store/reports/find-job-relations.js';
import { PRIORITY_RANGE } from '../../definition/priority-range.js';
import { readClock } from '../../store/base/read-clock.js';
import type { EnqueueNotifier } from '../enqueue/enqueue-notifier.js';
import { type JobSearchPage, searchAllStates } from '../search/search-jobs.js';
import type { JobSearchOptions } from '../search/search-options.js';
import { type BlockedKeyOptions, type BlockedKeyPage, listBlockedKeys } from './blocked-keys.js';
import { decodeJobs, decodeLog, decodeSummaries } from './decode-jobs.js';
import type { EndedJobs } from './ended-jobs.js';
import {
  type BulkAction,
  type JobActionOptions,
  type JobActionResult,
  JobActions,
  type JobRetryOptions,
  type JobTarget,
} from './job-actions.js';
import { FILTER_OPTIONS, type JobFilter, STATES, resolveJobFilter } from './job-filter.js';
import { textOfCursor, cursorFromText, searchJobs } from './job-search.js';

/** Options of `jobs.list`. */
export interface JobListOptions extends JobFilter {
  /** The size of a page: 1 to 1,000 jobs. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before, with the same filter. Default: the first page. */
  readonly after?: string;
}

/** Options of `jobs.logs`. */
export interface JobLogOptions {
  /** The last line of the call before: only later lines are returned. Default: from the beginning. */
  readonly after?: Pick<JobLogLine, 'attempt' | 'seq'> | undefined;
  /** How many lines are returned at most: 1 to 10,000. Default: 1,000. */
  readonly limit?: number;
}

/** A page of jobs. */
export interface JobPage {
  /** The jobs of the page. */
  readonly jobs: readonly JobSummary[];
  /** Pass it as `after` to get the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** Whether the page is short because the call has examined its maximum of jobs; `next` continues. */
  readonly isPartial: boolean;
  /** When the page was read, by the database's clock. */
  readonly takenAt: Date;
}

/** The number of jobs with a key, by state. */
export type KeyedJobCounts = Readonly<Record<JobFilter['state'], number>> & {
  /** Whether there are more jobs with the key than were counted. */
  readonly isCapped: boolean;
};

/** How many jobs `countByKey` examines. */
const MOST_OF_KEY = 1_000;

/** A job with its payload, result, errors and relations. */
export interface JobDetails extends JobSnapshot, JobRelations {}

/** Lists live and finished jobs, and runs, retries or cancels them: `queue.jobs`. Its calls commit on their own. */
export class JobBrowser {
  private readonly actions: JobActions;

  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly codecs: Codecs,
    notifier: EnqueueNotifier,
    endedJobs: EndedJobs,
  ) {
    this.actions = new JobActions(engine, notifier, endedJobs);
  }

  /**
   * Lists the jobs of one state page by page. `waiting`, `scheduled` and `ready` jobs come in reverse order of their
   * run. The latest claim comes first for `running`, and the job that finished last for the other states. With `key`
   * the latest created job comes first.
   *
   * One call examines about 5,000 jobs at most. If few of them match, the page can be short or empty: then `isPartial`
   * is true, and `next` continues. It locks nothing.
   *
   * @example
   * ```ts
   * const { jobs, next } = await queue.jobs.list({ state: 'failed', queue: 'mail', limit: 50 });
   * ```
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong option.
   */
  async list(options: JobListOptions): Promise<JobPage> {
    assertKnownOptions(options, [...FILTER_OPTIONS, 'limit', 'after']);
    const filter = resolveJobFilter(options);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const start = options.after === undefined ? BROWSE_START : cursorFromText(options.after);
    const { jobs: found, next } = await searchJobs(this.engine, filter, start, limit);
    const ids = found.map(({ id }) => id);
    const [summaries, now] = await executeRead(this.engine, 'read jobs', function* (dialect) {
      return [yield* findSummaries(dialect, ids), yield* readClock(dialect)] as const;
    });
    // A job may have gone on since it was found.
    const jobs = ids
      .flatMap((id) => summaries.get(uuidFromBytes(id)) ?? [])
      .filter(({ state }) => state === filter.state);
    return {
      jobs: await decodeSummaries(this.codecs, jobs),
      next: next && textOfCursor(next),
      isPartial: next !== undefined && found.length < limit,
      takenAt: new Date(now),
    };
  }

  /**
   * Counts the live and finished jobs with a key by state, among the latest 1,000 with the key. It locks nothing.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong key or filter.
   */
  async countByKey(key: string, filter: Pick<JobFilter, 'queue' | 'name' | 'tenant'> = {}): Promise<KeyedJobCounts> {
    assertKey(key);
    assertKnownOptions(filter, ['queue', 'name', 'tenant']);
    // The filter needs a state; the statement does not use it.
    const { queue, name, tenant } = resolveJobFilter({ state: 'ready', key, ...filter });
    const states = await executeRead(this.engine, 'count jobs', (dialect) =>
      statesByKey(dialect, { key, queue, name, tenant }, MOST_OF_KEY + 1),
    );
    const counts = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<JobFilter['state'], number>;
    for (const state of states.slice(0, MOST_OF_KEY)) {
      if (state !== null) {
        counts[state]++;
      }
    }
    return { ...counts, isCapped: states.length > MOST_OF_KEY };
  }

  /**
   * Searches the jobs of all states for a text. It is an id, a key, a unique key or a tenant, or a part of a name or
   * of the last error. With `payload: true` it can also be a part of the payload. Case-sensitive.
   *
   * Ids, keys and held unique keys are found at once. Then the call reads jobs, the latest created first, until the
   * page is full, for 2 s at most. `next` continues from there. It locks nothing.
   *
   * @example
   * ```ts
   * const { jobs, counts, searchedSince, next } = await queue.jobs.search('order:42');
   * ```
   *
   * @param text 1 to 1,000 characters.
   * @throws InvalidOptionError, UnknownOptionError for a wrong text or option.
   * @throws EncodedPayloadsError for `payload: true` if a codec of the queue encodes payloads.
   */
  async search(text: string, options: JobSearchOptions = {}): Promise<JobSearchPage> {
    return searchAllStates(this.engine, this.codecs, text, options);
  }

  /**
   * Finds a job with its payload, its result, the errors of its attempts, its worker, its groups and linked jobs.
   *
   * @returns undefined if it does not exist, or is no longer kept.
   * @throws InvalidOptionError for an invalid id.
   */
  async find(id: string): Promise<JobDetails | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    const found = await executeRead(this.engine, 'find a job', function* (dialect) {
      const [job] = yield* findJobs(dialect, [bytes]);
      return job && { ...job, ...(yield* findJobRelations(dialect, bytes)) };
    });
    return found && (await decodeJobs(this.codecs, [found]))[0];
  }

  /**
   * Reads the log of a job: what its handler has logged with `job.log`, by attempts. In a running job the last second
   * may be missing.
   *
   * @example
   * ```ts
   * const lines = await queue.jobs.logs(id);
   * const later = await queue.jobs.logs(id, { after: lines.at(-1) });
   * ```
   *
   * @returns no lines if the job has logged nothing, or does not exist.
   * @throws InvalidOptionError, UnknownOptionError for a wrong id or option.
   */
  async logs(id: string, options: JobLogOptions = {}): Promise<JobLogLine[]> {
    assertJobId(id);
    assertKnownOptions(options, ['after', 'limit']);
    const limit = wholeNumber('limit', options.limit ?? 1_000, 1, 10_000);
    const { attempt, seq } = options.after ?? { attempt: 0, seq: 0 };
    wholeNumber('after.attempt', attempt, 0, Number.MAX_SAFE_INTEGER);
    wholeNumber('after.seq', seq, 0, Number.MAX_SAFE_INTEGER);
    const bytes = uuidToBytes(id);
    const lines = await executeRead(this.engine, 'read a log', (dialect) =>
      listLog(dialect, bytes, { attempt, seq }, limit),
    );
    return decodeLog(this.codecs, lines);
  }

  /**
   * Makes scheduled jobs ready now: delayed jobs, and jobs that wait for their retry.
   *
   * Like all actions on several jobs it runs in transactions of up to 400 jobs that each commit on their own. It skips
   * locked rows, and jobs in a state that the action does not apply to, so it can be repeated.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong target or option.
   */
  async runNow(target: JobTarget, options: JobActionOptions = {}): Promise<JobActionResult> {
    return this.actions.act('run-now', target, options);
  }

  /**
   * Retries failed, cancelled or expired jobs: see `FailedJobs.retry`. It ignores jobs that fail while it runs.
   *
   * @throws InvalidOptionError for `from` with several jobs, or if the job has stored no such step.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong target or option.
   */
  async retry(target: JobTarget, { from, ...options }: JobRetryOptions = {}): Promise<JobActionResult> {
    if (from !== undefined) {
      assertStepName(from);
    }
    return this.actions.act('retry', target, options, defined({ from }));
  }

  /**
   * Goes on without failed jobs that block their order keys: the next job of each key runs. A retry of the failed job
   * comes after all others of its key then. Ignores failed jobs that block no key.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong target or option.
   */
  async skip(target: JobTarget, options: JobActionOptions = {}): Promise<JobActionResult> {
    return this.actions.act('skip', target, options);
  }

  /**
   * Lists the order keys that are blocked page by page, those that have been blocked longest first. It locks nothing.
   *
   * @example
   * ```ts
   * const { keys } = await queue.jobs.listBlockedKeys();
   * await queue.jobs.skip(keys.map(({ jobId }) => jobId), { by: 'ada' });
   * ```
   *
   * @throws InvalidOptionError, UnknownOptionError for a wrong option.
   */
  async listBlockedKeys(options: BlockedKeyOptions = {}): Promise<BlockedKeyPage> {
    return listBlockedKeys(this.engine, options);
  }

  /**
   * Cancels live jobs: see `TableQueue.cancel`. Running jobs are requested to end, and count as changed.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong target or option.
   */
  async cancel(target: JobTarget, options: JobActionOptions = {}): Promise<JobActionResult> {
    return this.actions.act('cancel', target, options);
  }

  /**
   * Changes the priority of jobs that are not running.
   *
   * @param priority a whole number from -500 to 500; smaller ones run first.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong target, priority or option.
   */
  async changePriority(target: JobTarget, priority: number, options: JobActionOptions = {}): Promise<JobActionResult> {
    wholeNumber('priority', priority, PRIORITY_RANGE.first, PRIORITY_RANGE.last);
    return this.actions.act('priority', target, options, { priority });
  }

  /**
   * Counts the jobs that an action with this filter would change: up to 10,000, among the first 100,000 examined jobs.
   *
   * @returns the count. `isCapped: true`: the number is a minimum, which can be 0.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong action or filter.
   */
  async preview(action: BulkAction, filter: JobFilter): Promise<JobCount> {
    return this.actions.preview(action, filter);
  }
}
