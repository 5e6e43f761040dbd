import { forEachBatch, repeatUntilDone } from '../../async/batches.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { queuesWithJobs } from '../../store/base/order/lane.js';
import { BEFORE_ALL, type SortKey, compareSortKeys, headOf, sortKeyAfter } from '../../store/base/order/sort-key.js';
import { readClock } from '../../store/base/read-clock.js';
import { type FinishedLane, newestToPrune, pruneJobs, queuesToPrune } from '../../store/finished/prune-jobs.js';
import { pruneGroups } from '../../store/groups/prune-groups.js';
import { OUTCOMES } from '../../tables/job.js';
import type { ResolvedRetention, ResolvedRule } from './retention.js';

const READ = 'find jobs to prune';
const DELETE = { purpose: 'delete finished jobs', atomic: true };

/**
 * Deletes finished jobs and groups beyond their retention, batch by batch. Each batch commits separately.
 *
 * @param signal stops it between two batches; the next run finds the remaining jobs.
 * @returns how many jobs were deleted.
 */
export async function pruneFinished(
  engine: Engine,
  retention: ResolvedRetention,
  signal?: AbortSignal,
): Promise<number> {
  const now = await executeRead(engine, READ, readClock);
  let deleted = 0;
  for (const state of OUTCOMES) {
    const rule = retention[state];
    for (const queue of signal?.aborted ? [] : await queuesOf(engine, state, rule, now)) {
      const lane = { queue, state };
      const before = await endOf(engine, lane, rule, now);
      await forEachBatch(
        before && BEFORE_ALL,
        async (after) => {
          const batch = await engine.execute((dialect) => pruneJobs(dialect, lane, after, before as SortKey), DELETE);
          deleted += batch.deleted;
          return batch.end;
        },
        signal,
      );
    }
  }
  await pruneFinishedGroups(engine, retention, now, signal);
  return deleted;
}

/** The queues in which jobs of an outcome may be beyond their retention. */
async function queuesOf(
  engine: Engine,
  state: FinishedLane['state'],
  { age, count }: ResolvedRule,
  now: number,
): Promise<readonly string[]> {
  if (count !== null) {
    return executeRead(engine, READ, queuesWithJobs);
  }
  return age === null ? [] : executeRead(engine, READ, (dialect) => queuesToPrune(dialect, state, now - age));
}

/** Where the jobs of a lane that are deleted end: those to which either limit applies. Undefined if there are none. */
async function endOf(
  engine: Engine,
  lane: FinishedLane,
  { age, count }: ResolvedRule,
  now: number,
): Promise<SortKey | undefined> {
  const newest =
    count === null ? undefined : await executeRead(engine, READ, (dialect) => newestToPrune(dialect, lane, count));
  const ends = [...(age === null ? [] : [headOf(now - age)]), ...(newest ? [sortKeyAfter(newest)] : [])];
  return ends.sort(compareSortKeys).at(-1);
}

/** How long a finished group is kept, in ms, if no outcome has an age. */
const DEFAULT_AGE = 30 * 24 * 3_600_000;

/**
 * Deletes groups that finished longer ago than the longest age of an outcome, batch by batch. Each batch commits
 * separately. Deletes nothing if all jobs are kept.
 */
async function pruneFinishedGroups(
  engine: Engine,
  retention: ResolvedRetention,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const rules = Object.values(retention);
  if (rules.every(({ age, count }) => age === null && count === null)) {
    return;
  }
  const ages = rules.flatMap(({ age }) => age ?? []);
  const age = ages.length > 0 ? Math.max(...ages) : DEFAULT_AGE;
  const options = { purpose: 'prune groups', atomic: true };
  await repeatUntilDone(() => engine.execute((dialect) => pruneGroups(dialect, now - age), options), signal);
}
