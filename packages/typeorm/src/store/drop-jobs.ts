import type { Dialect } from '../engine/dialect.js';
import { type Operation, change, placeholders, select } from '../engine/operation.js';
import type { ClaimedJob, Fence } from './claimed-job.js';
import { deleteKeys } from './delete-keys.js';
import { fenced, inKeyOrder, keyOf } from './fence.js';

/**
 * running → nowhere, for jobs that have succeeded and of which nothing is to be kept: out of the live table, with their
 * keys, in one transaction.
 *
 * Index: the primary keys. Locks: the jobs' rows, in the order of their ids, under the fence. If the process dies before
 * the commit the jobs run again, as with `finishJobs`. `again` tells that an earlier try may have been committed: then
 * its jobs are in neither table.
 *
 * @returns the jobs that were dropped; the others are lost to another worker.
 */
export function* dropJobs(
  dialect: Dialect,
  jobs: readonly ClaimedJob[],
  again: boolean,
): Operation<readonly ClaimedJob[]> {
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
  if (ours.length > 0) {
    const { sql, parameters } = ours === inOrder ? fence : fenced(ours);
    yield* change(`${deleteFrom(tables.job)} WHERE ${sql}`, parameters);
  }
  return again && ours.length < jobs.length ? [...ours, ...(yield* amongTheGone(dialect, inOrder, ours))] : ours;
}

function* amongTheGone(
  { tables }: Dialect,
  jobs: readonly ClaimedJob[],
  except: readonly ClaimedJob[],
): Operation<ClaimedJob[]> {
  const open = jobs.filter((job) => !except.includes(job));
  const ids = open.map(({ id }) => id);
  const found = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${tables.job} WHERE id IN (${placeholders(ids)})
     UNION ALL SELECT id FROM ${tables.history} WHERE id IN (${placeholders(ids)})`,
    [...ids, ...ids],
  );
  const there = new Set(found.map(({ id }) => id.toString('hex')));
  return open.filter(({ id }) => !there.has(id.toString('hex')));
}
