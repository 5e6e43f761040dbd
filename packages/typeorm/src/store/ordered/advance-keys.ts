import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { chunksBySize, mostUnited } from '../base/chunks.js';
import { type QueuedJob, type QueuedRow, toQueuedJob } from '../base/jobs/queued-job.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { lockSkippingLocked } from '../base/locks/lock-skipping-locked.js';
import { intoReadyLaneNow } from '../base/order/lane.js';
import { deleteOrdered } from '../base/ordered/delete-ordered.js';
import { type OrderKey, bytesOfKey, distinctKeys, identityOf, isOfKeys } from '../base/ordered/order-key.js';

/** The result of advancing keys. */
export interface AdvancedKeys {
  /** The jobs that are ready now. */
  readonly ready: readonly QueuedJob[];
  /** Keys whose first job another transaction has locked or advanced: advance them again. */
  readonly skipped: readonly OrderKey[];
}

interface FirstRow {
  readonly place: number | string;
  readonly job_id: Buffer;
  readonly name: string;
  readonly order_key: string;
}

interface JobRow extends QueuedRow {
  readonly is_later: number | string;
}

/**
 * Makes the first job of each key its head, if the key has none: waiting → ready, or scheduled until it is due. Runs
 * after the commit of each enqueue and of each end of a job with an order, in a transaction of its own.
 *
 * - No key has two heads: the row of a key is its primary key.
 * - No key is forgotten: of an enqueue and the end of the head before it, the later run sees both commits.
 * - No job is overtaken: one that another transaction has locked may be the first after it. Its key is skipped.
 *
 * Index: the keys, one row each; then the primary keys. Locks: the jobs that become heads, skipping locked ones, then
 * their places, and their keys in one order. Enqueues lock none of these.
 *
 * If the process dies before the commit, the reaper finds the keys: see `find-keys-without-head.ts`. A second run
 * changes nothing.
 */
export function* advanceKeys(dialect: Dialect, keys: readonly OrderKey[]): Operation<AdvancedKeys> {
  const ready: QueuedJob[] = [];
  const skipped: OrderKey[] = [];
  for (const chunk of chunksBySize(dialect, distinctKeys(keys), mostUnited(dialect), bytesOfKey)) {
    const advanced = yield* advanceSome(dialect, chunk);
    ready.push(...advanced.ready);
    skipped.push(...advanced.skipped);
  }
  return { ready, skipped };
}

function* advanceSome(dialect: Dialect, keys: readonly OrderKey[]): Operation<AdvancedKeys> {
  const withHead = yield* findKeysWithHead(dialect, keys);
  const firsts = yield* findFirst(
    dialect,
    keys.filter((key) => !withHead.has(identityOf(key))),
  );
  if (firsts.length === 0) {
    return { ready: [], skipped: [] };
  }
  const jobs = yield* lockWaitingJobs(dialect, firsts);
  const isLocked = ({ job_id: id }: FirstRow) => jobs.some((job) => job.id.equals(id));
  yield* deleteLostPlaces(
    dialect,
    firsts.filter((first) => !isLocked(first)),
  );
  const heads = yield* makeHeads(dialect, firsts.filter(isLocked));
  const started = jobs.filter(({ id }) => heads.some(({ job_id: jobId }) => jobId.equals(id)));
  yield* startJobs(dialect, started);
  return {
    ready: started.filter((job) => !isLater(job)).map(toQueuedJob),
    skipped: firsts.filter((first) => !heads.includes(first)).map(keyOfRow),
  };
}

function* findKeysWithHead({ tables }: Dialect, keys: readonly OrderKey[]): Operation<ReadonlySet<string>> {
  const rows = yield* select<Pick<FirstRow, 'name' | 'order_key'>>(
    sql`SELECT name, order_key FROM ${tables.orderKey} WHERE ${isOfKeys(keys)}`,
  );
  return new Set(rows.map((row) => identityOf(keyOfRow(row))));
}

/** The first waiting job of each key. */
function* findFirst({ tables }: Dialect, keys: readonly OrderKey[]): Operation<readonly FirstRow[]> {
  if (keys.length === 0) {
    return [];
  }
  const firsts = keys.map(
    ({ name, key }, index) =>
      sql`SELECT * FROM (
            SELECT place, job_id, name, order_key FROM ${tables.ordered}
            WHERE name = ${name} AND order_key = ${key} ORDER BY place LIMIT 1
          ) first_${sql.integer(index)}`,
  );
  return yield* select<FirstRow>(sql.join(firsts, sql` UNION ALL `));
}

function* lockWaitingJobs(dialect: Dialect, firsts: readonly FirstRow[]): Operation<readonly JobRow[]> {
  const ids = inKeyOrder(firsts.map(({ job_id: id }) => ({ id }))).map(({ id }) => id);
  return yield* lockSkippingLocked<Buffer, JobRow>(
    dialect,
    ids,
    (id) => id.toString('hex'),
    (some, locking) =>
      sql`SELECT id, queue, priority, tenant, ${isDelayed(dialect)} AS is_later
          FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
          WHERE id IN (${sql.list(some)}) AND ${IS_BEHIND} ${locking}`,
  );
}

/** A condition: the job has a delay, which is not over. One without was perhaps stored while the clock was ahead. */
const isDelayed = ({ now }: Dialect) => sql`(run_at > ${now} AND run_at > created_at)`;

/** A condition: the job waits until it is the head of its key. */
const IS_BEHIND = sql`state = 'waiting' AND order_head = 0`;

/**
 * Deletes the places of jobs that no longer wait: rows that other SQL has deleted or changed would block their key.
 * Their transactions have ended, so a plain read shows them.
 */
function* deleteLostPlaces(dialect: Dialect, firsts: readonly FirstRow[]): Operation<void> {
  if (firsts.length === 0) {
    return;
  }
  const rows = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${dialect.tables.job} WHERE id IN (${sql.list(firsts.map(({ job_id: id }) => id))}) AND ${IS_BEHIND}`,
  );
  yield* deleteOrdered(
    dialect,
    firsts.filter(({ job_id: id }) => !rows.some((row) => row.id.equals(id))),
  );
}

/** @returns those that are heads now: another transaction may have made one for a key, or have placed the job again. */
function* makeHeads(dialect: Dialect, rows: readonly FirstRow[]): Operation<readonly FirstRow[]> {
  if (rows.length === 0) {
    return [];
  }
  const { tables, insertIgnore, byPrimaryKey } = dialect;
  const { orderKey: keys, ordered } = tables;
  yield* change(
    sql`${insertIgnore} ${keys} (name, order_key, job_id)
        SELECT name, order_key, job_id FROM ${ordered} ${byPrimaryKey} WHERE place IN (${sql.list(rows.map(placeOf))})
        ORDER BY name, order_key`,
  );
  const made = yield* select<{ job_id: Buffer }>(sql`SELECT job_id FROM ${keys} WHERE ${isOfKeys(rows.map(keyOfRow))}`);
  const heads = rows.filter((row) => made.some(({ job_id: id }) => id.equals(row.job_id)));
  yield* deleteOrdered(dialect, heads);
  return heads;
}

function* startJobs(dialect: Dialect, jobs: readonly JobRow[]): Operation<void> {
  const { tables, byPrimaryKey } = dialect;
  const kinds = [
    [jobs.filter(isLater), sql`state = 'scheduled', lane = 0, position = run_at`],
    [jobs.filter((job) => !isLater(job)), intoReadyLaneNow(dialect)],
  ] as const;
  for (const [own, into] of kinds) {
    if (own.length > 0) {
      const ids = sql.list(own.map(({ id }) => id));
      yield* change(
        sql`UPDATE ${tables.job} ${byPrimaryKey} SET ${into}, order_head = 1 WHERE id IN (${ids}) AND ${IS_BEHIND}`,
      );
    }
  }
}

function isLater({ is_later: later }: JobRow): boolean {
  return Number(later) === 1;
}

function placeOf({ place }: FirstRow): number {
  return Number(place);
}

function keyOfRow({ name, order_key: key }: Pick<FirstRow, 'name' | 'order_key'>): OrderKey {
  return { name, key };
}
