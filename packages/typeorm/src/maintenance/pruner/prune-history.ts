import { forEachBatch, repeatUntilDone } from '../../async/batches.js';
import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import {
  AFTER_ALL_FAILURES,
  type FailureCursor,
  compareFailureCursors,
  firstFailureAt,
} from '../../store/base/order/failure-cursor.js';
import { readClock } from '../../store/base/read-clock.js';
import { pruneGroups } from '../../store/groups/prune-groups.js';
import { type Allowances, countBack } from '../../store/history/count-back.js';
import { oldestKeptFailure, pruneFailures } from '../../store/history/prune-failures.js';
import { type Cutoff, sweepOf } from '../../store/history/prune-history.js';
import type { ResolvedRetention, ResolvedRule } from './retention.js';
import { sweepHistory } from './sweep-history.js';

const READ = { purpose: 'find jobs to prune', readOnly: true };

/**
 * Deletes finished jobs and groups beyond their retention, batch by batch. Each batch commits separately.
 *
 * @param signal stops it between two batches; the next run finds the remaining jobs.
 * @returns how many jobs were deleted.
 */
export async function pruneHistory(
  engine: Engine,
  retention: ResolvedRetention,
  signal?: AbortSignal,
): Promise<number> {
  const now = await engine.execute(readClock, READ);
  let deleted = await pruneFailed(engine, retention.failed, now, signal);
  const cutoffs = await cutoffsOf(engine, retention, now, signal);
  if (cutoffs.length > 0 && !signal?.aborted) {
    deleted += await sweepHistory(engine, sweepOf(cutoffs), signal);
  }
  await pruneFinishedGroups(engine, retention, signal);
  return deleted;
}

/** The cutoffs of succeeded and cancelled jobs. Reads the history only if a number of jobs is kept. */
async function cutoffsOf(
  engine: Engine,
  retention: ResolvedRetention,
  now: number,
  signal: AbortSignal | undefined,
): Promise<Cutoff[]> {
  const states = ['succeeded', 'cancelled'] as const;
  const allowances = new Map<Cutoff['state'], number>();
  const oldest = new Map<Cutoff['state'], Buffer>();
  for (const state of states) {
    const { count } = retention[state];
    if (count === 0) {
      oldest.set(state, BEHIND_ALL_IDS);
    } else if (count !== null) {
      allowances.set(state, count);
    }
  }
  let remaining: Allowances = allowances;
  await forEachBatch(
    remaining.size > 0 ? BEHIND_ALL_IDS : undefined,
    async (before) => {
      const chunk = await engine.execute((dialect) => countBack(dialect, remaining, before), READ);
      chunk.oldestKept.forEach((id, state) => oldest.set(state, id));
      remaining = chunk.remaining;
      return remaining.size > 0 ? chunk.end : undefined;
    },
    signal,
  );
  return states.flatMap((state) => {
    const { age } = retention[state];
    const cutoff = { state, finishedBefore: age === null ? null : now - age, idBefore: oldest.get(state) ?? null };
    return cutoff.finishedBefore === null && cutoff.idBefore === null ? [] : [cutoff];
  });
}

const DELETE = { purpose: 'prune the history', atomic: true };

/**
 * Deletes failed jobs beyond their retention, batch by batch.
 *
 * @returns how many were deleted.
 */
async function pruneFailed(
  engine: Engine,
  { age, count }: ResolvedRule,
  now: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const ends: FailureCursor[] = [];
  if (age !== null) {
    ends.push(firstFailureAt(now - age));
  }
  if (count !== null) {
    const oldest =
      count === 0 ? AFTER_ALL_FAILURES : await engine.execute((dialect) => oldestKeptFailure(dialect, count), READ);
    ends.push(...(oldest ? [oldest] : []));
  }
  const before = ends.sort(compareFailureCursors).at(-1);
  let deleted = 0;
  await forEachBatch(
    before && firstFailureAt(0),
    async (after) => {
      const batch = await engine.execute((dialect) => pruneFailures(dialect, after, before as FailureCursor), DELETE);
      deleted += batch.deleted;
      return batch.end;
    },
    signal,
  );
  return deleted;
}

/** How long a finished group is kept, in ms, if no outcome has an age. */
const DEFAULT_AGE = 30 * 24 * 3_600_000;

/**
 * Deletes groups that finished longer ago than the longest age of an outcome, batch by batch. Each batch commits
 * separately. Deletes nothing if all jobs are kept.
 */
async function pruneFinishedGroups(engine: Engine, retention: ResolvedRetention, signal?: AbortSignal): Promise<void> {
  const rules = Object.values(retention);
  if (rules.every(({ age, count }) => age === null && count === null)) {
    return;
  }
  const ages = rules.flatMap(({ age }) => age ?? []);
  const age = ages.length > 0 ? Math.max(...ages) : DEFAULT_AGE;
  const now = await executeRead(engine, 'find groups to prune', readClock);
  const options = { purpose: 'prune groups', atomic: true };
  await repeatUntilDone(async () => {
    const more = await engine.execute((dialect) => pruneGroups(dialect, now - age), options);
    return more && !signal?.aborted;
  });
}
