import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Parameter, sql } from '../../engine/sql.js';
import { InvalidOptionError } from '../../errors/index.js';
import { inKeyOrder } from '../base/locks/fence.js';
import { deleteCancellations } from '../base/jobs/delete-cancellations.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { expires, expiryOf, insertExpiries } from '../base/jobs/insert-expiries.js';
import { InitialStates } from '../base/jobs/initial-state.js';
import { IS_QUEUED } from '../base/order/lane.js';
import { deleteById } from '../base/delete-by-id.js';
import { laneOf } from '../base/order/tenant-lane.js';
import { abandonChildren } from '../base/steps/abandon-children.js';
import { deleteSignalsOf } from '../base/steps/signal-keys.js';

/** A job in the queue that gets the payload and the options of another one. */
export interface Replacement {
  readonly id: Buffer;
  readonly by: NewJob;
}

/**
 * Gives jobs that do not run the payload and the options of new ones. They keep their id, unique key, age and number of
 * attempts, and their place in an order; their failures are reset. Their steps, children and signals were for the old
 * payload: see `deleteProgress`. Part of the transaction that has locked the unique keys of these jobs, so they are
 * live.
 *
 * A plain read finds the running ones first: a locking read would hold them until a caller's transaction at REPEATABLE
 * READ ends, and block their outcomes. The locking read waits at most for a claim: other operations that have locked
 * such a job skip its key. See `unique-keys.ts`.
 *
 * Index: the primary key. Locks: the jobs' rows, in the order of their ids. Does the same the second time.
 *
 * @returns the replacements that were made.
 */
export function* replaceWaiting(dialect: Dialect, replacements: readonly Replacement[]): Operation<Replacement[]> {
  const replaced: Replacement[] = [];
  const rows = new Map<string, ReplaceableRow>();
  for (const chunk of chunksOf(inKeyOrder(replacements), MOST_IDS)) {
    const waiting = yield* lockReplaceable(dialect, chunk);
    const own = chunk.flatMap((replacement) => {
      const row = waiting.get(replacement.id.toString('hex'));
      return row ? [{ row, replacement, ordered: dueInTime(row, orderedAs(row, replacement)) }] : [];
    });
    for (const { row, replacement, ordered } of own) {
      yield* replaceOne(dialect, ordered);
      yield* replaceKey(dialect, replacement, row.key);
      rows.set(replacement.id.toString('hex'), row);
      replaced.push(replacement);
    }
  }
  if (replaced.length > 0) {
    for (const chunk of chunksOf(replaced, MOST_IDS)) {
      const ids = chunk.map(({ id }) => id);
      const started = ids.filter((id) => (rows.get(id.toString('hex')) as ReplaceableRow).attempt > 0);
      yield* deleteProgress(dialect, ids, started);
    }
    yield* insertExpiries(
      dialect,
      replaced.filter(({ by }) => expires(by)).map(({ id }) => id),
    );
    // A request to cancel was meant for the replaced payload.
    yield* deleteCancellations(
      dialect,
      replaced.map(({ id }) => id),
    );
  }
  return replaced;
}

/**
 * Deletes the steps and signals of jobs, and leaves the children for which they wait to the reaper, which cancels them.
 *
 * Index: the primary keys. Locks: the steps, by ranges, see `deleteById`; the signals by their whole keys, found by a
 * plain read. A range would wait for transactions that have not committed their signals, and these wait for the jobs. In
 * a transaction at REPEATABLE READ, a signal that was committed after its first read stays.
 *
 * @param started those that have started: others have no steps.
 */
function* deleteProgress(dialect: Dialect, ids: readonly Buffer[], started: readonly Buffer[]): Operation<void> {
  const { tables, byPrimaryKey, forUpdate } = dialect;
  if (started.length > 0) {
    // A locking read: at REPEATABLE READ a plain one may not see them.
    const waits = yield* select<{ kind: string; state: string; awaits: string | null }>(
      sql`SELECT kind, state, awaits FROM ${tables.step} ${byPrimaryKey}
          WHERE job_id IN (${sql.list(started)}) AND kind = 'child' AND state = 'open' ${forUpdate}`,
    );
    yield* abandonChildren(dialect, waits);
    yield* deleteById(dialect, 'step', started);
  }
  yield* deleteSignalsOf(dialect, ids);
}

interface ReplaceableRow {
  readonly key: string | null;
  readonly attempt: number;
  readonly orderKey: string | null;
  /** Whether it has an order and waits until it is the head of its key. */
  readonly isBehind: boolean;
  /** In ms by the database's clock. Only where one of the jobs has `maxWait`. */
  readonly createdAt: number;
  readonly now: number;
}

/** The new job is due when the old one is the head of its key. */
function orderedAs({ orderKey, isBehind }: ReplaceableRow, { id, by }: Replacement): Replacement {
  if (by.order && orderKey !== null && by.order.key !== orderKey) {
    throw new InvalidOptionError('order.by', by.order.key, `"${orderKey}", the key of the job that it replaces`);
  }
  return { id, by: { ...by, order: isBehind ? { key: orderKey as string, blocks: true } : null } };
}

/** The new job is due when the longest wait of the old one is over, if its delay ends later. */
function dueInTime({ createdAt, now }: ReplaceableRow, { id, by }: Replacement): Replacement {
  const { due, unique } = by;
  if (!unique || unique.maxWait === null || !('delay' in due)) {
    return { id, by };
  }
  const latest = createdAt + unique.maxWait;
  return now + due.delay <= latest ? { id, by } : { id, by: { ...by, due: { at: latest } } };
}

/** The jobs, by id, that do not run; waits for other transactions that have locked them. */
function* lockReplaceable(
  dialect: Dialect,
  replacements: readonly Replacement[],
): Operation<ReadonlyMap<string, ReplaceableRow>> {
  const { tables, byPrimaryKey, forUpdate, now } = dialect;
  const ids = replacements.map(({ id }) => id);
  const age = replacements.some(({ by }) => hasMaxWait(by)) ? sql`, created_at, ${now} AS now` : sql.empty;
  const running = yield* select<{ id: Buffer }>(
    sql`SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(ids)}) AND state = 'running'`,
  );
  const waiting = ids.filter((id) => !running.some((other) => other.id.equals(id)));
  if (waiting.length === 0) {
    return new Map();
  }
  const rows = yield* select<JobRow>(
    sql`SELECT id, job_key, attempt, order_key, order_head${age} FROM ${tables.job} ${byPrimaryKey}
        WHERE id IN (${sql.list(waiting)}) AND ${IS_QUEUED} ${forUpdate}`,
  );
  return new Map(
    rows.map(({ id, job_key: key, attempt, order_key: orderKey, order_head: head, created_at: created, now }) => {
      const isBehind = head !== null && Number(head) === 0;
      const row = { key, attempt: Number(attempt), orderKey, isBehind, createdAt: Number(created), now: Number(now) };
      return [id.toString('hex'), row];
    }),
  );
}

interface JobRow {
  readonly id: Buffer;
  readonly job_key: string | null;
  readonly attempt: number | string;
  readonly order_key: string | null;
  readonly order_head: number | string | null;
  readonly created_at?: number | string;
  readonly now?: number | string;
}

function hasMaxWait({ unique }: NewJob): boolean {
  return unique !== null && unique.maxWait !== null;
}

function* replaceOne(dialect: Dialect, { id, by }: Replacement): Operation<void> {
  const values: Parameter[] = [];
  const { state, lane, position, runAt } = new InitialStates(dialect.now, true, true).addState(by, values);
  const limit: Parameter[] = [];
  const expiry = expiryOf(dialect.now, by, limit);
  const place = sql`state = ${state}, lane = ${lane}, position = ${position}, run_at = ${runAt}`;
  yield* change(
    sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
        SET ${sql.bind(place, values)},
            queue = ${by.queue}, job_key = ${by.key}, payload = ${by.payload}, payload_version = ${by.payloadVersion},
            priority = ${by.priority}, failures = 0, crashes = 0, last_error = NULL, progress = NULL,
            tenant = ${by.tenant}, tenant_lane = ${laneOf(by.tenant)}, trace = ${by.trace ?? null},
            expires_at = ${sql.bind(expiry, limit)}
        WHERE id = ${id}`,
  );
}

function* replaceKey({ tables, deleteFrom }: Dialect, { id, by }: Replacement, key: string | null): Operation<void> {
  if (key === by.key) {
    return;
  }
  if (key !== null) {
    yield* change(sql`${deleteFrom(tables.key)} WHERE job_key = ${key} AND job_id = ${id}`);
  }
  if (by.key !== null) {
    yield* change(sql`INSERT INTO ${tables.key} (job_key, job_id) VALUES (${by.key}, ${id})`);
  }
}
