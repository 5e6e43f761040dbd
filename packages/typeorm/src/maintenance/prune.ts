import { walk } from '../batches.js';
import { firstIdAt } from '../definition/job-id.js';
import type { Engine } from '../engine/engine.js';
import { type Allowances, countBack } from '../store/count-back.js';
import {
  BEHIND_ALL_FAILURES,
  type FailurePlace,
  compareFailurePlaces,
  firstFailureAt,
} from '../store/failure-place.js';
import { oldestKeptFailure, pruneFailures } from '../store/prune-failures.js';
import { type Cutoff, findOldPart, pruneBatch } from '../store/prune-history.js';
import { readClock } from '../store/read-clock.js';
import { pruneFinishedGroups } from './prune-groups.js';
import type { ResolvedRetention, ResolvedRule } from './retention.js';

const BEFORE_ALL_IDS: Buffer = firstIdAt(0);
const BEHIND_ALL_IDS: Buffer = Buffer.alloc(16, 0xff);
const DELETE = { purpose: 'prune the history', atomic: true };
const LOOK = { purpose: 'look for jobs to prune', readOnly: true };

/**
 * Deletes finished jobs, and groups, that need not be kept: batch by batch, each committed by itself.
 *
 * @param signal ends it between two batches; what is left is found again by the next run.
 * @returns how many jobs were deleted.
 */
export async function pruneHistory(
  engine: Engine,
  retention: ResolvedRetention,
  signal?: AbortSignal,
): Promise<number> {
  const now = await engine.execute(readClock, LOOK);
  const failures = await pruneFailed(engine, retention.failed, now, signal);
  const cutoffs = await cutoffsOf(engine, retention, now, signal);
  const others = cutoffs.length > 0 ? await pruneOthers(engine, cutoffs, signal) : 0;
  await pruneFinishedGroups(engine, retention, signal);
  return failures + others;
}

async function pruneFailed(
  engine: Engine,
  { age, count }: ResolvedRule,
  now: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const ends: FailurePlace[] = [];
  if (age !== null) {
    ends.push(firstFailureAt(now - age));
  }
  if (count !== null) {
    const oldest =
      count === 0 ? BEHIND_ALL_FAILURES : await engine.execute((dialect) => oldestKeptFailure(dialect, count), LOOK);
    ends.push(...(oldest ? [oldest] : []));
  }
  const before = ends.sort(compareFailurePlaces).at(-1);
  let deleted = 0;
  await walk(
    before && firstFailureAt(0),
    async (after) => {
      const batch = await engine.execute((dialect) => pruneFailures(dialect, after, before as FailurePlace), DELETE);
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
  await walk(
    left.size > 0 ? BEHIND_ALL_IDS : undefined,
    async (before) => {
      const part = await engine.execute((dialect) => countBack(dialect, left, before), LOOK);
      part.oldestKept.forEach((id, state) => oldest.set(state, id));
      left = part.left;
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

async function pruneOthers(
  engine: Engine,
  cutoffs: readonly Cutoff[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  await walk(
    BEFORE_ALL_IDS,
    async (place) => {
      const part = await engine.execute((dialect) => findOldPart(dialect, cutoffs, place), LOOK);
      if (part && part.old > 0) {
        await walk(
          part.after,
          async (after) => {
            const batch = await engine.execute((dialect) => pruneBatch(dialect, cutoffs, { ...part, after }), DELETE);
            deleted += batch.deleted;
            return batch.end;
          },
          signal,
        );
      }
      return part?.more ? part.last : undefined;
    },
    signal,
  );
  return deleted;
}
