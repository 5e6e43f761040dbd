import { type ActionOptions, resolveActionRecord } from '../../action-options.js';
import { forEachBatch } from '../../async/batches.js';
import { assertJobId, uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { type BrowseFilter, type BrowseCursor } from '../../store/browse/browse-filter.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import { cancelJobs } from '../../store/actions/cancel-jobs.js';
import { changePriority } from '../../store/actions/change-priority.js';
import type { JobCount } from '../../store/base/job-count.js';
import { inKeyOrder } from '../../store/base/fence.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import { type ActionCounts, type ActionRecord, recordAction } from '../../store/actions/record-action.js';
import { readClock } from '../../store/base/read-clock.js';
import type { QueuedJob } from '../../store/base/queued-job.js';
import { retryFinishedJobs } from '../../store/history/retry-finished-jobs.js';
import { runJobsNow } from '../../store/actions/run-jobs-now.js';
import { OUTCOMES, type Outcome } from '../../tables/history.js';
import { LIVE_STATES, type LiveState } from '../../tables/job.js';
import { allPromises } from '../../async/thenable.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import type { CallbackTrigger } from '../groups/callback-trigger.js';
import { FILTER_OPTIONS, type JobFilter, resolveJobFilter } from './job-filter.js';
import { textOfCursor, cursorFromText, searchJobs } from './job-search.js';

/** What can be done to jobs by hand. */
export type JobAction = 'run-now' | 'retry' | 'cancel' | 'priority';

/** The jobs an action is for: one by its id, several, or all for which a filter holds. */
export type JobTarget = string | readonly string[] | JobFilter;

/** What an action has done. */
export interface JobActionResult {
  /** How many jobs it has changed. */
  readonly changed: number;
  /** How many it was to change and did not: they were not, or no longer, in a state it applies to, or somebody had them locked. */
  readonly skipped: number;
  /** For `after`, where `steps` has ended it before all was done. */
  readonly next?: string;
}

/** How an action on jobs is done. */
export interface JobActionOptions extends ActionOptions {
  /**
   * Of all for which a filter holds: after how many steps it ends, each of up to 400 jobs that are changed and 5,000 that are
   * looked at; `next` tells that there may be more. Default: when all is done.
   */
  readonly steps?: number;
  /** The `next` of the call before, of the same action and filter. Default: from the beginning. */
  readonly after?: string;
}

/** The states that an action applies to. */
const STATES: Readonly<Record<JobAction, readonly string[]>> = {
  'run-now': ['scheduled'],
  retry: OUTCOMES.filter((outcome) => outcome !== 'succeeded'),
  cancel: LIVE_STATES,
  priority: LIVE_STATES.filter((state) => state !== 'running'),
};

/** What can be done with a job of a state. */
export function actionsOf(state: LiveState | Outcome): JobAction[] {
  return (Object.keys(STATES) as JobAction[]).filter((action) => STATES[action].includes(state));
}

/** Where counting ends. */
const MOST_COUNTED = 10_000;
const MOST_STEPS = 1_000_000;
/** How many searches a count may take, of 5,000 jobs that are looked at each. */
const MOST_SEARCHES = 20;

/** What one transaction of an action has done. */
interface Done {
  readonly changed: number;
  /** Those that are ready, or may be. */
  readonly ready: readonly QueuedJob[];
  /** The groups that those cancelled were members of. */
  readonly groups: readonly Buffer[];
}

type Act = (dialect: Dialect, places: readonly BrowseCursor[]) => Operation<Done>;

/** Does things to jobs, in transactions of up to 400 jobs that each commit by themselves. */
export class JobActions {
  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly callbacks: CallbackTrigger,
  ) {}

  /** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
  async act(
    action: JobAction,
    target: JobTarget,
    options: JobActionOptions,
    priority: number | null = null,
  ): Promise<JobActionResult> {
    const act = actOf(action, priority);
    const total = { changed: 0, skipped: 0 };
    const batch = async (places: readonly BrowseCursor[], note: ActionRecord | undefined) => {
      const { changed, skipped } = await this.run(action, act, places, note);
      total.changed += changed;
      total.skipped += skipped;
    };
    if (typeof target === 'string' || Array.isArray(target)) {
      const ids = [target].flat() as readonly string[];
      ids.forEach(assertJobId);
      const only = ids.length === 1 ? `job ${ids[0]}` : 'jobs';
      const detail = { ...(ids.length === 1 ? {} : { ids }), ...(priority !== null && { priority }) };
      const note = resolveActionRecord(options, action, only, Object.keys(detail).length > 0 ? detail : null);
      const places = [...new Set(ids)].map((id) => ({ at: 0, id: uuidToBytes(id) }));
      for (const part of chunksOf(inKeyOrder(places), MOST_IDS)) {
        await batch(part, note);
      }
      return total;
    }
    const { steps, after: start, ...rest } = options;
    const filter = resolveFilter(action, target as JobFilter);
    const note = resolveActionRecord(rest, action, 'jobs', { filter: target, ...(priority !== null && { priority }) });
    let left = steps === undefined ? Infinity : wholeNumber('steps', steps, 1, MOST_STEPS);
    let next: BrowseCursor | undefined;
    // Jobs that fail meanwhile are left alone, also those it has put back itself.
    const before = action === 'retry' ? Math.min(filter.before, await this.now()) : filter.before;
    // A call that goes on has nothing to tell of what it does not find.
    let isNoted = start !== undefined;
    await forEachBatch(start === undefined ? BROWSE_START : cursorFromText(start), async (after) => {
      const found = await searchJobs(this.engine, { ...filter, before, otherThan: priority }, after, MOST_IDS);
      if (found.places.length > 0 || !(isNoted || found.next)) {
        isNoted = true;
        await batch(inKeyOrder(found.places), note);
      }
      ({ next } = found);
      return --left > 0 ? next : undefined;
    });
    return { ...total, ...(next && { next: textOfCursor(next) }) };
  }

  /** @throws InvalidOptionError, UnknownOptionError, InvalidNameError */
  async preview(action: JobAction, filter: JobFilter): Promise<JobCount> {
    const wanted = resolveFilter(action, filter);
    let count = 0;
    let searches = 0;
    let next: BrowseCursor | undefined;
    await forEachBatch(BROWSE_START, async (after) => {
      const found = await searchJobs(this.engine, wanted, after, MOST_COUNTED + 1 - count);
      count += found.places.length;
      ({ next } = found);
      return ++searches < MOST_SEARCHES && count <= MOST_COUNTED ? next : undefined;
    });
    return { count: Math.min(count, MOST_COUNTED), isCapped: count > MOST_COUNTED || next !== undefined };
  }

  private async run(
    action: JobAction,
    act: Act,
    places: readonly BrowseCursor[],
    note: ActionRecord | undefined,
  ): Promise<ActionCounts> {
    const { changed, ready, groups } = await this.engine.execute(
      function* (dialect) {
        const done = yield* act(dialect, places);
        if (note) {
          yield* recordAction(dialect, note, { changed: done.changed, skipped: places.length - done.changed });
        }
        return done;
      },
      { purpose: `do "${action}" to jobs`, atomic: true },
    );
    await allPromises(noticesForReady(ready).map((ring) => this.notifier.notify(ring)));
    await this.callbacks.jobsEnded(groups);
    return { changed, skipped: places.length - changed };
  }

  private now(): Promise<number> {
    return this.engine.execute(readClock, { purpose: 'tell the time', readOnly: true });
  }
}

function actOf(action: JobAction, priority: number | null): Act {
  switch (action) {
    case 'run-now':
      return function* (dialect, places) {
        return readied(yield* runJobsNow(dialect, idsOf(places)));
      };
    case 'priority':
      return function* (dialect, places) {
        return readied(yield* changePriority(dialect, idsOf(places), priority as number));
      };
    case 'retry':
      return function* (dialect, places) {
        // Only failures are found by the time they ended.
        const requests = places.map(({ at, id }) => ({ id, ...(at > 0 && { finishedAt: at }) }));
        return readied(yield* retryFinishedJobs(dialect, requests, true));
      };
    case 'cancel':
      return function* (dialect, places) {
        const { cancelled, requested, groups } = yield* cancelJobs(dialect, idsOf(places), null);
        return { changed: cancelled.length + requested.length, ready: [], groups };
      };
  }
}

function readied(ready: readonly QueuedJob[]): Done {
  return { changed: ready.length, ready, groups: [] };
}

function idsOf(places: readonly BrowseCursor[]): Buffer[] {
  return places.map(({ id }) => id);
}

function resolveFilter(action: JobAction, filter: JobFilter): BrowseFilter {
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
