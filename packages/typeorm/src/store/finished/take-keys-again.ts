import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { DuplicateJobError } from '../../errors/index.js';
import { type HeldKey, type WantedKey, takeKeys } from '../base/keys/take-keys.js';
import { identityOf } from '../base/keys/unique-keys.js';

/** A finished job, with the unique key that it had until then. */
interface FormerHolder {
  readonly id: Buffer;
  readonly name: string;
  readonly unique_key: string | null;
}

/**
 * Takes the unique keys of finished jobs again, for jobs that become live next. Part of a transaction that has locked
 * their rows.
 *
 * Waits for transactions that take or free the keys, and locks as `takeKeys` does. If only the window of an earlier job
 * holds a key, the retried job takes it over with its window. If two of the jobs had one key, the first gets it.
 *
 * @returns the jobs that may become live, and an error for each job whose key another job has.
 */
export function* takeKeysAgain<Row extends FormerHolder>(
  dialect: Dialect,
  rows: readonly Row[],
): Operation<{ readonly free: readonly Row[]; readonly conflicts: readonly DuplicateJobError[] }> {
  const wanted = new Map<string, WantedKey>();
  for (const { id, name, unique_key: key } of rows) {
    if (key !== null && !wanted.has(identityOf({ name, key }))) {
      wanted.set(identityOf({ name, key }), { name, key, jobId: id, lasts: 'unfinished', window: null });
    }
  }
  if (wanted.size === 0) {
    return { free: rows, conflicts: [] };
  }
  const holders = new Map<string, Buffer>();
  for (const held of yield* takeKeys(dialect, [...wanted.values()])) {
    const { jobId } = wanted.get(identityOf(held)) as WantedKey;
    if (held.lasts === 'window') {
      yield* takeWindowOver(dialect, held, jobId);
    }
    holders.set(identityOf(held), held.lasts === 'window' ? jobId : held.jobId);
  }
  const free: Row[] = [];
  const conflicts: DuplicateJobError[] = [];
  for (const row of rows) {
    const { id, name, unique_key: key } = row;
    const holder = key === null ? id : (holders.get(identityOf({ name, key })) as Buffer);
    if (holder.equals(id)) {
      free.push(row);
    } else {
      conflicts.push(new DuplicateJobError(name, key as string, uuidFromBytes(holder)));
    }
  }
  return { free, conflicts };
}

function* takeWindowOver({ tables, byPrimaryKey }: Dialect, { name, key }: HeldKey, jobId: Buffer): Operation<void> {
  yield* change(
    sql`UPDATE ${tables.unique} ${byPrimaryKey} SET job_id = ${jobId}, lasts = 'unfinished'
        WHERE name = ${name} AND unique_key = ${key}`,
  );
}
