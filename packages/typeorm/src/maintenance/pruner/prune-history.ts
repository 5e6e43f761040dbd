import { forEachBatch } from '../../async/batches.js';
import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { type Allowances, countBack } from '../../store/history/count-back.js';
import {
  AFTER_ALL_FAILURES,
  type FailureCursor,
  compareFailureCursors,
  firstFailureAt,
} from '../../store/base/failure-cursor.js';
import type { HistoryDays } from '../../store/history/history-days.js';
import { oldestKeptFailure, pruneFailures } from '../../store/history/prune-failures.js';
import { type Cutoff, pruneBatch, sweepOf } from '../../store/history/prune-history.js';
import { readClock } from '../../store/base/read-clock.js';
import { OUTCOMES } from '../../tables/history.js';
import { dropOldDays, findDays } from './history-days.js';
import { sweepHistory } from './sweep-history.js';
import { pruneFinishedGroups } from './prune-groups.js';
import type { ResolvedRetention, ResolvedRule } from './retention.js';

const DELETE = { purpose: 'prune the history', atomic: true };
const LOOK = { purpose: 'look for jobs to prune', readOnly: true };

/** How to prune. */
export interface PruneOptions {
  /** Whether jobs may stay for a day longer where they then go with their day. Default: false. */
  readonly waitsForDays?: boolean;
  /** Ends it between two batches; what is left is found again by the next run. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes finished jobs, and groups, that need not be kept: batch by batch, each committed by itself; where the history
 * is in days, whole days at once.
 *
 * @returns how many jobs were deleted.
 */
export async function pruneHistory(
  engine: Engine,
  retention: ResolvedRetention,
  { waitsForDays = false, signal }: PruneOptions = {},
): Promise<number> {
  const now = await engine.execute(readClock, LOOK);
  const failures = await pruneFailed(engine, retention.failed, now, signal);
  const days = await findDays(engine);
  const dropped = days && (await dropOldDays(engine, days, longestAgeOf(retention), now, signal));
  const cutoffs = await cutoffsOf(engine, retention, now, signal);
  let done = failures + (dropped?.deleted ?? 0);
  if (cutoffs.length > 0 && !signal?.aborted) {
    const span = {
      from: waitsForDays ? dropped?.goesBefore : undefined,
      before: days && endOfReach(days, cutoffs),
    };
    done += (await sweepHistory(engine, sweepOf(cutoffs, span), pruneBatch, signal)).deleted;
  }
  await pruneFinishedGroups(engine, retention, signal);
  return done;
}

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
      count === 0 ? AFTER_ALL_FAILURES : await engine.execute((dialect) => oldestKeptFailure(dialect, count), LOOK);
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

/** Only where a number of jobs is to be kept is anything read for it. */
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
  let left: Allowances = allowances;
  await forEachBatch(
    left.size > 0 ? BEHIND_ALL_IDS : undefined,
    async (before) => {
      const part = await engine.execute((dialect) => countBack(dialect, left, before), LOOK);
      part.oldestKept.forEach((id, state) => oldest.set(state, id));
      left = part.remaining;
      return left.size > 0 ? part.end : undefined;
    },
    signal,
  );
  return states.flatMap((state) => {
    const { age } = retention[state];
    const cutoff = { state, finishedBefore: age === null ? null : now - age, idBefore: oldest.get(state) ?? null };
    return cutoff.finishedBefore === null && cutoff.idBefore === null ? [] : [cutoff];
  });
}

/** No job stays for longer than this, in ms; null where some may. */
function longestAgeOf(retention: ResolvedRetention): number | null {
  const ages = OUTCOMES.map((outcome) => retention[outcome].age);
  return ages.every((age) => age !== null) ? Math.max(...ages) : null;
}

/** Where the last day ends that a cut-off reaches. Numbers of jobs reach all. */
function endOfReach({ days }: HistoryDays, cutoffs: readonly Cutoff[]): number | undefined {
  if (cutoffs.some(({ idBefore }) => idBefore !== null)) {
    return undefined;
  }
  const reach = Math.max(...cutoffs.map(({ finishedBefore }) => finishedBefore ?? 0));
  return days.find(({ end }) => end >= reach)?.end;
}
