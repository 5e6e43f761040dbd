import { type ActionOptions, resolveActionRecord } from '../../action-options.js';
import { forEachBatch } from '../../async/batches.js';
import { assertJobId, uuidToBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { type DuplicateJobError, InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { type BrowseFilter, type BrowseCursor } from '../../store/browse/browse-filter.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import type { JobCount } from '../../store/base/jobs/job-count.js';
import { inKeyOrder } from '../../store/base/locks/fence.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import { type ActionRecord, recordAction } from '../../store/actions/record-action.js';
import { readClock } from '../../store/base/read-clock.js';
import { LIVE_STATES, type LiveState, OUTCOMES, type Outcome } from '../../tables/job.js';
import { allPromises } from '../../async/thenable.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { type Act, type ActionDetails, type BulkAction, type Done, type JobAction, actOf } from './act-on-jobs.js';
import type { EndedJobs } from './ended-jobs.js';
import { FILTER_OPTIONS, type JobFilter, resolveJobFilter } from './job-filter.js';
import { textOfCursor, cursorFromText, searchJobs } from './job-search.js';

export type { BulkAction, JobAction } from './act-on-jobs.js';

/** The jobs of an action: an id, a list of ids, or a filter. */
export type JobTarget = string | readonly string[] | JobFilter;

/** The result of an action. */
export interface JobActionResult {
  /** How many jobs were changed. */
  readonly changed: number;
  /**
   * How many jobs were not changed: the action does not apply to their state, or another transaction has locked them. A
   * retry also skips jobs whose unique key another job has.
   */
  readonly skipped: number;
  /** The first conflict of a retry: its `id` is the job that has the unique key. Missing if there is none. */
  readonly conflict?: DuplicateJobError;
  /** Pass it as `after` to continue, if `steps` has ended the action early. */
  readonly next?: string;
}

/** Options of an action on jobs. */
export interface JobActionOptions extends ActionOptions {
  /**
   * With a filter: ends the action after this many steps, 1 to 1,000,000. A step changes up to 400 jobs and examines up
   * to 5,000. `next` is set if there may be more. Default: no limit.
   */
  readonly steps?: number;
  /** `next` of the call before, with the same action and filter. Default: the first jobs. */
  readonly after?: string;
}

/** Options of `jobs.retry`. */
export interface JobRetryOptions extends JobActionOptions {
  /** With one id of a durable job: also runs this step or wait again, and all that were stored after it. */
  readonly from?: string;
}

const STATES: Readonly<Record<BulkAction, readonly string[]>> = {
  'run-now': ['scheduled'],
  retry: OUTCOMES.filter((outcome) => outcome !== 'succeeded'),
  skip: ['failed'],
  cancel: LIVE_STATES,
  priority: LIVE_STATES.filter((state) => state !== 'running'),
  move: LIVE_STATES.filter((state) => state !== 'running'),
  delete: OUTCOMES,
};

/** The actions of bulk operations. */
export const BULK_ACTIONS = Object.keys(STATES) as readonly BulkAction[];

/** Actions on single jobs. */
const JOB_ACTIONS = BULK_ACTIONS.filter((action): action is JobAction => action !== 'move' && action !== 'delete');

/** The actions for all jobs of a state. */
export function bulkActionsOf(state: LiveState | Outcome): BulkAction[] {
  return BULK_ACTIONS.filter((action) => STATES[action].includes(state));
}

/** @param isBlocking whether the job blocks its order key. */
export function actionsOf(state: LiveState | Outcome, isBlocking: boolean): JobAction[] {
  return JOB_ACTIONS.filter((action) => STATES[action].includes(state) && (action !== 'skip' || isBlocking));
}

/** A preview counts up to this many jobs. */
const MOST_COUNTED = 10_000;
const MOST_STEPS = 1_000_000;
/** A preview ends after this many searches, of up to 5,000 examined jobs each. */
const MOST_SEARCHES = 20;

/** Runs actions on jobs, in transactions of up to 400 jobs that each commit on their own. */
export class JobActions {
  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly endedJobs: EndedJobs,
  ) {}

  /** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
  async act(
    action: JobAction,
    target: JobTarget,
    options: JobActionOptions,
    details: ActionDetails = {},
  ): Promise<JobActionResult> {
    assertKnownOptions(options, ['by', 'steps', 'after']);
    const act = actOf(action, details);
    const total: { changed: number; skipped: number; conflict?: DuplicateJobError } = { changed: 0, skipped: 0 };
    const batch = async (jobs: readonly BrowseCursor[], note: ActionRecord | undefined) => {
      const { changed, conflict } = await this.run(action, act, jobs, note);
      total.changed += changed;
      total.skipped += jobs.length - changed;
      if (conflict && !total.conflict) {
        total.conflict = conflict;
      }
    };
    if (typeof target === 'string' || Array.isArray(target)) {
      const ids = [target].flat() as readonly string[];
      ids.forEach(assertJobId);
      if (details.from !== undefined && ids.length !== 1) {
        throw new InvalidOptionError('from', details.from, 'undefined for several jobs');
      }
      const subject = ids.length === 1 ? `job ${ids[0]}` : 'jobs';
      const detail = { ...(ids.length === 1 ? {} : { ids }), ...details };
      const note = resolveActionRecord(options, action, subject, Object.keys(detail).length > 0 ? detail : null);
      const jobs = [...new Set(ids)].map((id) => ({ at: 0, id: uuidToBytes(id) }));
      for (const chunk of chunksOf(inKeyOrder(jobs), MOST_IDS)) {
        await batch(chunk, note);
      }
      return total;
    }
    if (details.from !== undefined) {
      throw new InvalidOptionError('from', details.from, 'undefined for a filter');
    }
    const { steps, after: start, ...rest } = options;
    const filter = resolveFilter(action, target as JobFilter);
    const note = resolveActionRecord(rest, action, 'jobs', { filter: target, ...details });
    let remaining = steps === undefined ? Infinity : wholeNumber('steps', steps, 1, MOST_STEPS);
    let next: BrowseCursor | undefined;
    // Ignores jobs that fail meanwhile, also those that this call has retried.
    const before = action === 'retry' ? Math.min(filter.before, await this.now()) : filter.before;
    // The first call records an action without matching jobs, a continuation does not.
    let isRecorded = start !== undefined;
    await forEachBatch(start === undefined ? BROWSE_START : cursorFromText(start), async (after) => {
      const found = await searchJobs(
        this.engine,
        { ...filter, before, otherThan: details.priority ?? null },
        after,
        MOST_IDS,
      );
      if (found.jobs.length > 0 || !(isRecorded || found.next)) {
        isRecorded = true;
        await batch(inKeyOrder(found.jobs), note);
      }
      ({ next } = found);
      return --remaining > 0 ? next : undefined;
    });
    return { ...total, ...(next && { next: textOfCursor(next) }) };
  }

  /** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
  async preview(action: BulkAction, filter: JobFilter): Promise<JobCount> {
    const wanted = resolveFilter(action, filter);
    let count = 0;
    let searches = 0;
    let next: BrowseCursor | undefined;
    await forEachBatch(BROWSE_START, async (after) => {
      const found = await searchJobs(this.engine, wanted, after, MOST_COUNTED + 1 - count);
      count += found.jobs.length;
      ({ next } = found);
      return ++searches < MOST_SEARCHES && count <= MOST_COUNTED ? next : undefined;
    });
    return { count: Math.min(count, MOST_COUNTED), isCapped: count > MOST_COUNTED || next !== undefined };
  }

  private async run(
    action: JobAction,
    act: Act,
    jobs: readonly BrowseCursor[],
    note: ActionRecord | undefined,
  ): Promise<Done> {
    const done = await this.engine.execute(
      function* (dialect) {
        const done = yield* act(dialect, jobs);
        if (note) {
          yield* recordAction(dialect, note, { changed: done.changed, skipped: jobs.length - done.changed });
        }
        return done;
      },
      { purpose: `do "${action}" to jobs`, atomic: true },
    );
    await allPromises(noticesForReady(done.ready).map((notice) => this.notifier.notify(notice)));
    await this.endedJobs.onAllEnded(done.ended);
    await this.endedJobs.orderKeys.advance(done.orderKeys);
    return done;
  }

  private now(): Promise<number> {
    return executeRead(this.engine, 'read the clock', readClock);
  }
}

/** @throws InvalidOptionError for an action that does not exist, or that does not apply to the state. */
export function resolveFilter(action: BulkAction, filter: JobFilter): BrowseFilter {
  if (!Object.hasOwn(STATES, action)) {
    throw new InvalidOptionError('action', action, `one of ${Object.keys(STATES).join(', ')}`);
  }
  assertKnownOptions(filter, FILTER_OPTIONS);
  const resolved = resolveJobFilter(filter);
  if (!STATES[action].includes(resolved.state)) {
    throw new InvalidOptionError('state', resolved.state, `${STATES[action].join(' or ')} for "${action}"`);
  }
  return resolved;
}
