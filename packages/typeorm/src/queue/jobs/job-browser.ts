import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { assertKey } from '../../definition/names.js';
import type { Engine } from '../../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { isLive } from '../../store/browse/browse-filter.js';
import { statesByKey } from '../../store/browse/states-by-key.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import type { JobCount } from '../../store/base/job-count.js';
import { type JobSnapshot, findJobs } from '../../store/reports/find-jobs.js';
import { type JobSummary, findSummaries } from '../../store/reports/find-summaries.js';
import { type JobRelations, findJobRelations } from '../../store/reports/find-job-relations.js';
import { PRIORITY_RANGE } from '../../store/base/sort-key.js';
import { readClock } from '../../store/base/read-clock.js';
import type { EnqueueNotifier } from '../enqueue/enqueue-notifier.js';
import type { CallbackTrigger } from '../groups/callback-trigger.js';
import {
  type JobAction,
  type JobActionOptions,
  type JobActionResult,
  JobActions,
  type JobTarget,
} from './job-actions.js';
import { FILTER_OPTIONS, type JobFilter, STATES, resolveJobFilter } from './job-filter.js';
import { textOfCursor, cursorFromText, searchJobs } from './job-search.js';

/** What `list` takes. */
export interface JobListOptions extends JobFilter {
  /** How many jobs a page has at most: 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** The `next` of the page before, of the same filter. Default: the first page. */
  readonly after?: string;
}

/** A page of jobs. */
export interface JobPage {
  readonly jobs: readonly JobSummary[];
  /** For `after`; undefined where there are no more. */
  readonly next: string | undefined;
  /** Whether there may be more of the page: as many jobs were looked at as one call looks at, and `next` goes on. */
  readonly isPartial: boolean;
  /** When it was read, by the database's clock. */
  readonly takenAt: Date;
}

/** What `countByKey` takes beside the key. */
export type KeyedJobFilter = Pick<JobFilter, 'queue' | 'name' | 'tenant'>;

/** How many jobs with a key are in each state. */
export type KeyedJobCounts = Readonly<Record<JobFilter['state'], number>> & {
  /** Whether there are more jobs with this key than were counted. */
  readonly isCapped: boolean;
};

/** How many jobs `countByKey` looks at. */
const MOST_OF_KEY = 1_000;

/** A job with all there is about it, as it was when it was looked at. */
export interface JobDetails extends JobSnapshot, JobRelations {}

/** All jobs, live and finished: looks through them, and does things to them by hand. Nothing is part of a caller's transaction. */
export class JobBrowser {
  private readonly actions: JobActions;

  constructor(
    private readonly engine: Engine,
    bell: EnqueueNotifier,
    releases: CallbackTrigger,
  ) {
    this.actions = new JobActions(engine, bell, releases);
  }

  /**
   * Jobs of one state, page by page. Of `waiting`, `scheduled` and `ready` ones the last in line comes first; of `running`
   * ones the one that its worker has claimed last; of `failed` ones the one that failed last; of `succeeded` and
   * `cancelled` ones, and wherever `key` is given, the one that was created last.
   *
   * One call looks at 5,000 jobs at most, or a few more, however many there are: where what is asked for is rare among
   * those on the way a page may be short, or empty, with `isPartial` and a `next` that goes on. Locks nothing.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async list(options: JobListOptions): Promise<JobPage> {
    assertKnownOptions(options, [...FILTER_OPTIONS, 'limit', 'after']);
    const filter = resolveJobFilter(options);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const start = options.after === undefined ? BROWSE_START : cursorFromText(options.after);
    const { places, next } = await searchJobs(this.engine, filter, start, limit);
    const ids = places.map(({ id }) => id);
    const [summaries, now] = await this.engine.execute(
      function* (dialect) {
        return [yield* findSummaries(dialect, ids, isLive(filter.state)), yield* readClock(dialect)] as const;
      },
      { purpose: 'read jobs', readOnly: true },
    );
    return {
      // A job may have gone on since it was found.
      jobs: ids.flatMap((id) => summaries.get(uuidFromBytes(id)) ?? []).filter(({ state }) => state === filter.state),
      next: next && textOfCursor(next),
      isPartial: next !== undefined && places.length < limit,
      takenAt: new Date(now),
    };
  }

  /**
   * How many jobs with a key are in each state, live and finished, among the 1,000 with this key that were created last. One
   * statement along the key; locks nothing.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async countByKey(key: string, filter: KeyedJobFilter = {}): Promise<KeyedJobCounts> {
    assertKey(key);
    assertKnownOptions(filter, ['queue', 'name', 'tenant']);
    // Any state: it is not asked for.
    const { queue, name, tenant } = resolveJobFilter({ state: 'ready', key, ...filter });
    const states = await this.engine.execute(
      (dialect) => statesByKey(dialect, { key, queue, name, tenant }, MOST_OF_KEY + 1),
      { purpose: 'count jobs', readOnly: true },
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
   * A job with all there is about it: its payload, its result, the errors of its attempts, and what runs it or waits for
   * it. Undefined where there is none of that id, or none any more.
   *
   * @throws InvalidOptionError
   */
  async find(id: string): Promise<JobDetails | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    return this.engine.execute(
      function* (dialect) {
        const [job] = yield* findJobs(dialect, [bytes]);
        return job && { ...job, ...(yield* findJobRelations(dialect, bytes)) };
      },
      { purpose: 'find a job', readOnly: true },
    );
  }

  /**
   * Has scheduled jobs run now, before their time: delayed ones, and those that wait for their retry.
   *
   * Like all that is done to several jobs it goes in transactions of up to 400 that each commit by themselves, never waits for
   * rows that somebody has locked, and leaves alone whatever is not in a state it applies to, so calling it again, or in
   * two processes at a time, does no harm.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async runNow(target: JobTarget, options: JobActionOptions = {}): Promise<JobActionResult> {
    return this.actions.act('run-now', target, options);
  }

  /**
   * Has failed or cancelled jobs run again: see `FailedJobs.retry`. Jobs that fail while it runs are left alone.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async retry(target: JobTarget, options: JobActionOptions = {}): Promise<JobActionResult> {
    return this.actions.act('retry', target, options);
  }

  /**
   * Cancels live jobs; running ones are asked to end, and count as changed: see `TableQueue.cancel`.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async cancel(target: JobTarget, options: JobActionOptions = {}): Promise<JobActionResult> {
    return this.actions.act('cancel', target, options);
  }

  /**
   * Gives jobs that do not run another priority. One that runs keeps its own.
   *
   * @param priority a whole number from -500 to 500; smaller ones run first.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async changePriority(target: JobTarget, priority: number, options: JobActionOptions = {}): Promise<JobActionResult> {
    wholeNumber('priority', priority, PRIORITY_RANGE.first, PRIORITY_RANGE.last);
    return this.actions.act('priority', target, options, priority);
  }

  /**
   * Counts the jobs that an action with this filter is for, up to 10,000. Where what is asked for is rare it ends after
   * 100,000 jobs that it has looked at. `isCapped` tells that it has not looked at all: then there are as many as it says,
   * none perhaps, or more.
   *
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
   */
  async preview(action: JobAction, filter: JobFilter): Promise<JobCount> {
    return this.actions.preview(action, filter);
  }
}
