import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import type { ClaimedJob, Fence } from './claimed-job.js';
import { deleteById } from './delete-by-id.js';
import { deleteKeys } from './delete-keys.js';
import { fenced, inKeyOrder, keyOf } from './fence.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';

/**
 * running → nowhere, for jobs that have succeeded and of which nothing is to be kept: out of the live table, with their
 * keys and errors, in one transaction.
 *
 * Index: the primary keys. Locks: the jobs' rows, in the order of their ids, under the fence. If the process dies before
 * the commit the jobs run again, as with `finishJobs`. `again` tells that an earlier try may have been committed: then
 * its jobs are in neither table.
 *
 * Unique keys are let go of in the same transaction: see `finish-with-keys.ts`.
 */
export function dropJobs(
  dialect: Dialect,
  jobs: readonly ClaimedJob[],
  again: boolean,
): Operation<Finished<ClaimedJob>> {
  return finishWithKeys(
    dialect,
    jobs,
    (job) => job,
    (free) => dropFree(dialect, free, again),
  );
}

function* dropFree(dialect: Dialect, jobs: readonly ClaimedJob[], again: boolean): Operation<readonly ClaimedJob[]> {
  const { tables, byPrimaryKey, deleteFrom, forUpdate } = dialect;
  const inOrder = inKeyOrder(jobs);
  const fence = fenced(inOrder);
  const rows = yield* select<Fence>(
    `SELECT id, owner, attempt FROM ${tables.job} ${byPrimaryKey} WHERE ${fence.sql} ${forUpdate}`,
    fence.parameters,
  );
  const held = new Set(rows.map(keyOf));
  const ours = held.size === inOrder.length ? inOrder : inOrder.filter((job) => held.has(keyOf(job)));
  yield* deleteKeys(dialect, 'job', ours);
  yield* deleteById(
    dialect,
    'error',
    ours.filter(({ attempt }) => attempt > 1).map(({ id }) => id),
  );
  if (ours.length > 0) {
    const { sql, parameters } = ours === inOrder ? fence : fenced(ours);
    yield* change(`${deleteFrom(tables.job)} WHERE ${sql}`, parameters);
  }
  if (!again || ours.length === jobs.length) {
    return ours;
  }
  const open = inOrder.filter((job) => !ours.includes(job));
  return [...ours, ...(yield* amongTheGone(dialect, open))];
}

/** The jobs that are in neither table: dropped, or nobody's any more. */
export function* amongTheGone<Job extends Fence>({ tables }: Dialect, jobs: readonly Job[]): Operation<Job[]> {
  const ids = jobs.map(({ id }) => id);
  const found = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${tables.job} WHERE id IN (${placeholders(ids)})
     UNION ALL SELECT id FROM ${tables.history} WHERE id IN (${placeholders(ids)})`,
    [...ids, ...ids],
  );
  const there = new Set(found.map(({ id }) => id.toString('hex')));
  return jobs.filter(({ id }) => !there.has(id.toString('hex')));
}
