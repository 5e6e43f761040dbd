import { setImmediate } from 'node:timers/promises';

import { firstIdAt } from '../definition/job-id.js';
import type { Engine } from '../engine/engine.js';
import { type Allowances, type CountedPart, countBack } from '../store/count-back.js';
import {
  BEHIND_ALL_FAILURES,
  type FailurePlace,
  compareFailurePlaces,
  firstFailureAt,
} from '../store/failure-place.js';
import { oldestKeptFailure, pruneFailures } from '../store/prune-failures.js';
import { type Cutoff, type OldPart, findOldPart, pruneBatch } from '../store/prune-history.js';
import { readClock } from '../store/read-clock.js';
import type { ResolvedRetention, ResolvedRule } from './retention.js';

const BEFORE_ALL_IDS = firstIdAt(0);
const BEHIND_ALL_IDS = Buffer.alloc(16, 0xff);
const DELETE = { purpose: 'prune the history', atomic: true };
const LOOK = { purpose: 'look for jobs to prune', readOnly: true };

/**
 * Deletes finished jobs that need not be kept: batch by batch, each committed by itself.
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
  return failures + (cutoffs.length > 0 ? await pruneOthers(engine, cutoffs, signal) : 0);
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
    const oldest = count === 0 ? BEHIND_ALL_FAILURES : await engine.execute((d) => oldestKeptFailure(d, count), LOOK);
    ends.push(...(oldest ? [oldest] : []));
  }
  const before = ends.sort(compareFailurePlaces).at(-1);
  let deleted = 0;
  let place: FailurePlace | undefined = firstFailureAt(0);
  while (before && place && !signal?.aborted) {
    const after: FailurePlace = place;
    const batch = await engine.execute((dialect) => pruneFailures(dialect, after, before), DELETE);
    deleted += batch.deleted;
    place = batch.end;
    // On SQLite a batch takes no turn of the event loop by itself.
    await setImmediate();
  }
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
  let place: Buffer | undefined = BEHIND_ALL_IDS;
  while (left.size > 0 && place && !signal?.aborted) {
    const before: Buffer = place;
    const open: Allowances = left;
    const part: CountedPart = await engine.execute((dialect) => countBack(dialect, open, before), LOOK);
    part.oldestKept.forEach((id, state) => oldest.set(state, id));
    left = part.left;
    place = part.end;
    await setImmediate();
  }
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
  let place: Buffer | undefined = BEFORE_ALL_IDS;
  while (place && !signal?.aborted) {
    const after: Buffer = place;
    const part = await engine.execute((dialect) => findOldPart(dialect, cutoffs, after), LOOK);
    if (part && part.old > 0) {
      deleted += await prunePart(engine, cutoffs, part, signal);
    }
    place = part?.more ? part.last : undefined;
    await setImmediate();
  }
  return deleted;
}

async function prunePart(
  engine: Engine,
  cutoffs: readonly Cutoff[],
  { after, last }: OldPart,
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  let place: Buffer | undefined = after;
  while (place && !signal?.aborted) {
    const from: Buffer = place;
    const batch = await engine.execute((dialect) => pruneBatch(dialect, cutoffs, { after: from, last }), DELETE);
    deleted += batch.deleted;
    place = batch.end;
    await setImmediate();
  }
  return deleted;
}
