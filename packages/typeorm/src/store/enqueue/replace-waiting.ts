import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Parameter, change, placeholders, select } from '../../engine/operation.js';
import { inKeyOrder } from '../base/fence.js';
import { deleteCancellations } from '../base/delete-cancellations.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import type { NewJob } from './new-job.js';
import { InitialStates } from './initial-state.js';
import { laneOf } from '../claim/tenant-lanes.js';

/** A waiting job that is to become another one. */
export interface Replacement {
  readonly id: Buffer;
  readonly by: NewJob;
}

/**
 * Gives waiting jobs the payload and the options of new ones: they keep their id, their unique key, their age and the
 * number of their attempt, and have not failed yet. What runs is left as it is. Part of the transaction that has locked
 * the unique keys of these jobs, so they are live.
 *
 * A plain read first: what is locked, and then turns out to run, would stay locked until a caller's transaction at
 * REPEATABLE READ ends, and with it whatever its worker has to write down. The locking read waits at most for a claim;
 * whoever else has locked such a job passes over its key. See `unique-keys.ts`.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids. The same again the second time.
 *
 * @returns those that were carried out.
 */
export function* replaceWaiting(dialect: Dialect, replacements: readonly Replacement[]): Operation<Replacement[]> {
  const replaced: Replacement[] = [];
  for (const part of chunksOf(inKeyOrder(replacements), MOST_IDS)) {
    const waiting = yield* lockReplaceable(
      dialect,
      part.map(({ id }) => id),
    );
    for (const replacement of part) {
      const key = waiting.get(replacement.id.toString('hex'));
      if (key !== undefined) {
        yield* replaceOne(dialect, replacement);
        yield* replaceKey(dialect, replacement, key);
        replaced.push(replacement);
      }
    }
  }
  if (replaced.length > 0) {
    // A request to cancel was about the work that is replaced.
    yield* deleteCancellations(
      dialect,
      replaced.map(({ id }) => id),
    );
  }
  return replaced;
}

/** The keys, by id, of those that do not run; waits for whoever has locked them. */
function* lockReplaceable(dialect: Dialect, ids: readonly Buffer[]): Operation<ReadonlyMap<string, string | null>> {
  const { tables, byPrimaryKey, forUpdate } = dialect;
  const running = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${placeholders(ids)}) AND state = 'running'`,
    ids,
  );
  const left = ids.filter((id) => !running.some((other) => other.id.equals(id)));
  if (left.length === 0) {
    return new Map();
  }
  const rows = yield* select<{ id: Buffer; job_key: string | null }>(
    `SELECT id, job_key FROM ${tables.job} ${byPrimaryKey}
     WHERE id IN (${placeholders(left)}) AND state <> 'running' ${forUpdate}`,
    left,
  );
  return new Map(rows.map(({ id, job_key: key }) => [id.toString('hex'), key]));
}

function* replaceOne(dialect: Dialect, { id, by }: Replacement): Operation<void> {
  const values: Parameter[] = [];
  const { state, owner, position, runAt } = new InitialStates(dialect.now, true, true).addPlace(by, values);
  yield* change(
    `UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
     SET state = ${state}, owner = ${owner}, position = ${position}, run_at = ${runAt},
         queue = ?, job_key = ?, payload = ?, payload_version = ?, priority = ?, failures = 0, crashes = 0, last_error = NULL,
         progress = NULL, tenant = ?, lane = ?, trace = ?
     WHERE id = ?`,
    [
      ...values,
      by.queue,
      by.key,
      by.payload,
      by.payloadVersion,
      by.priority,
      by.tenant,
      laneOf(by.tenant),
      by.trace ?? null,
      id,
    ],
  );
}

function* replaceKey({ tables, deleteFrom }: Dialect, { id, by }: Replacement, key: string | null): Operation<void> {
  if (key === by.key) {
    return;
  }
  if (key !== null) {
    yield* change(`${deleteFrom(tables.key)} WHERE job_key = ? AND job_id = ?`, [key, id]);
  }
  if (by.key !== null) {
    yield* change(`INSERT INTO ${tables.key} (job_key, job_id) VALUES (?, ?)`, [by.key, id]);
  }
}
