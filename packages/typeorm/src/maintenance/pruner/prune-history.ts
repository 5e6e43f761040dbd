import { forEachBatch } from '../../async/batches.js';
import { BEHIND_ALL_IDS } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { readClock } from '../../store/base/read-clock.js';
import { type Allowances, countBack } from '../../store/history/count-back.js';
import type { HistoryDays } from '../../store/history/history-days.js';
import { type Cutoff, pruneBatch, sweepOf } from '../../store/history/prune-history.js';
import { OUTCOMES } from '../../tables/history.js';
import { findDays } from './alter-history.js';
import { dropOldDays } from './drop-old-days.js';
import { pruneFailed } from './prune-failed.js';
import { pruneFinishedGroups } from './prune-groups.js';
import type { ResolvedRetention } from './retention.js';
import { sweepHistory } from './sweep-history.js';

const READ = { purpose: 'find jobs to prune', readOnly: true };

/** Options of `pruneHistory`. */
export interface PruneOptions {
  /** Whether jobs may stay a day longer if they are then dropped with their day. Default: false. */
  readonly waitsForDays?: boolean;
  /** Stops it between two batches; the next run finds the remaining jobs. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes finished jobs and groups beyond their retention, batch by batch. Each batch commits separately. Drops whole
 * days where the history has day partitions.
 *
 * @returns how many jobs were deleted.
 */
export async function pruneHistory(
  engine: Engine,
  retention: ResolvedRetention,
  { waitsForDays = false, signal }: PruneOptions = {},
): Promise<number> {
  const now = await engine.execute(readClock, READ);
  const failed = await pruneFailed(engine, retention.failed, now, signal);
  const days = await findDays(engine);
  const dropped = days && (await dropOldDays(engine, days, longestAgeOf(retention), now, signal));
  const cutoffs = await cutoffsOf(engine, retention, now, signal);
  let deleted = failed + (dropped?.deleted ?? 0);
  if (cutoffs.length > 0 && !signal?.aborted) {
    const span = {
      from: waitsForDays ? dropped?.droppedBefore : undefined,
      before: days && lastDayEnd(days, cutoffs),
    };
    deleted += (await sweepHistory(engine, sweepOf(cutoffs, span), pruneBatch, signal)).deleted;
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

/** How long any job is kept, in ms; null if some jobs are kept without a limit. */
function longestAgeOf(retention: ResolvedRetention): number | null {
  const ages = OUTCOMES.map((outcome) => retention[outcome].age);
  return ages.every((age) => age !== null) ? Math.max(...ages) : null;
}

/** The end of the last day that a cutoff affects; undefined if a number of jobs is kept, which can affect all days. */
function lastDayEnd({ days }: HistoryDays, cutoffs: readonly Cutoff[]): number | undefined {
  if (cutoffs.some(({ idBefore }) => idBefore !== null)) {
    return undefined;
  }
  const latest = Math.max(...cutoffs.map(({ finishedBefore }) => finishedBefore ?? 0));
  return days.find(({ end }) => end >= latest)?.end;
}
