import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import type { ClaimedJob, Fence } from './claimed-job.js';
import { fenced, inKeyOrder } from './fence.js';
import { type HistoryEntry, writeHistory } from './write-history.js';

/** A job whose handler has come to its end. */
export interface FinishedJob {
  readonly job: ClaimedJob;
  readonly state: 'succeeded' | 'failed';
  /** JSON text of what the handler returned, or null. */
  readonly result: string | null;
  readonly error: string | null;
}

/**
 * running → succeeded or failed: out of the live table and into the history, in one transaction.
 *
 * The rows are locked first, by primary key and in its order, under the fence: what is locked is still ours and stays
 * so until the commit. What is not locked was taken from us, and nothing is done to it.
 *
 * If the process dies before the commit nothing has happened and the reaper frees the jobs; their handlers have run,
 * so they run again. `again` tells that an earlier try may have been committed: then its jobs are in the history.
 *
 * @returns the jobs that were finished; the others are lost to another worker.
 */
export function* finishJobs(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  again: boolean,
): Operation<FinishedJob[]> {
  const held = yield* lockHeld(dialect, inKeyOrder(finished.map(({ job }) => job)));
  const ours = finished.filter(({ job }) => held.some((fence) => isSame(fence, job)));
  if (ours.length > 0) {
    yield* writeHistory(dialect, ours.map(toEntry));
    const fence = fenced(inKeyOrder(ours.map(({ job }) => job)));
    yield* change(`${dialect.deleteFromJob} WHERE ${fence.sql}`, fence.parameters);
  }
  if (again && ours.length < finished.length) {
    ours.push(...(yield* finishedBefore(dialect, finished, ours)));
  }
  return ours;
}

function* lockHeld(dialect: Dialect, jobs: readonly Fence[]): Operation<readonly Fence[]> {
  const { sql, parameters } = fenced(jobs);
  return yield* select<Fence>(
    `SELECT id, owner, attempt FROM ${dialect.tables.job} ${dialect.byPrimaryKey} WHERE ${sql} ${dialect.forUpdate}`,
    parameters,
  );
}

function* finishedBefore(
  dialect: Dialect,
  finished: readonly FinishedJob[],
  ours: readonly FinishedJob[],
): Operation<FinishedJob[]> {
  const open = finished.filter((job) => !ours.includes(job));
  const ids = open.map(({ job }) => job.id);
  const entries = yield* select<Fence>(
    `SELECT id, owner, attempt FROM ${dialect.tables.history} WHERE id IN (${placeholders(ids)})`,
    ids,
  );
  return open.filter(({ job }) => entries.some((entry) => isSame(entry, job)));
}

/** By all three: one batch can hold two runs of one job, when this worker has lost it and claimed it again. */
function isSame(a: Fence, b: Fence): boolean {
  return a.id.equals(b.id) && a.owner === b.owner && a.attempt === b.attempt;
}

function toEntry({ job, state, result, error }: FinishedJob): HistoryEntry {
  return { ...job, state, result, error, failures: job.failures + (state === 'failed' ? 1 : 0) };
}
