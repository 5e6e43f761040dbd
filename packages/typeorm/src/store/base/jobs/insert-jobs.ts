import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { type Fragment, type Parameter, sql } from '../../../engine/sql.js';
import { MOST_IDS, type Measure, chunksBySize, chunksOf } from '../chunks.js';
import { insertOrdered, isOrdered } from '../ordered/insert-ordered.js';
import { laneOf } from '../order/tenant-lane.js';
import { expires, expiryOf, insertExpiries } from './insert-expiries.js';
import { type InitialState, InitialStates } from './initial-state.js';
import type { NewJob } from './new-job.js';

/**
 * Stores new jobs: one INSERT for each `jobsPerInsert`, and one more for their keys if they have any.
 *
 * Index: inserts by primary key. Locks: the new rows. In a caller's transaction it is part of that transaction;
 * otherwise it runs in a transaction of its own. With `isRetry` an earlier try may have been committed, and only the
 * jobs whose ids are missing are stored. A job that has finished since then and is not kept is stored again, and runs
 * once more.
 */
export function* insertJobs(dialect: Dialect, jobs: readonly NewJob[], isRetry = false): Operation<void> {
  const missing = isRetry ? yield* notYetStored(dialect, jobs) : jobs;
  yield* insertChunks(dialect, splitForInserts(dialect, missing));
}

/** Stores chunks of `splitForInserts`. */
export function* insertChunks(dialect: Dialect, chunks: readonly (readonly NewJob[])[]): Operation<void> {
  // One by one: after a deadlock the transaction is gone, and statements that were sent already would be committed.
  for (const chunk of chunks) {
    const keyed = chunk.filter(({ key }) => key !== null);
    if (keyed.length > 0) {
      // First, for a caller's connection without a transaction: a key without its job does no harm, but a job without
      // its key could not be found by the key.
      yield* change(insertKeys(dialect, keyed));
    }
    yield* change(insertRows(dialect, chunk));
    const expiring = chunk.filter(expires);
    if (expiring.length > 0) {
      yield* insertExpiries(
        dialect,
        expiring.map(({ id }) => id),
      );
    }
    const ordered = chunk.filter(isOrdered);
    if (ordered.length > 0) {
      yield* insertOrdered(
        dialect,
        ordered.map(({ id, name, order: { key } }) => ({ id, name, key })),
      );
    }
  }
}

/** Whether storing the jobs takes several statements, and so a transaction. */
export function takesTransaction(dialect: Dialect, jobs: readonly NewJob[]): boolean {
  const isOneStatement = jobs.every((job) => job.key === null && job.order === null && !expires(job));
  return !isOneStatement || (jobs.length > 1 && splitForInserts(dialect, jobs).length > 1);
}

/**
 * Splits jobs into chunks for one INSERT each.
 *
 * @throws StatementTooLargeError before anything is sent.
 */
export function splitForInserts(dialect: Dialect, jobs: readonly NewJob[]): NewJob[][] {
  return [...chunksBySize(dialect, jobs, dialect.jobsPerInsert, bytesOfJob)];
}

/** What a row takes beside its texts, at most. */
const ROW_BYTES = 512;

function bytesOfJob({ queue, name, payload, key, unique, order, tenant }: NewJob, measure: Measure): number {
  const names = ROW_BYTES + queue.length + name.length;
  return names + measure(payload) + measure(key) + measure(unique?.key) + measure(order?.key) + measure(tenant);
}

const KEY_ROW = sql`(${sql.open}, ${sql.open})`;

function insertKeys({ tables }: Dialect, jobs: readonly NewJob[]): Fragment {
  const parameters = jobs.flatMap(({ key, id }) => [key, id]);
  const rows = sql.rows(
    jobs.map(() => KEY_ROW),
    parameters,
  );
  return sql`INSERT INTO ${tables.key} (job_key, job_id) VALUES ${rows}`;
}

const STATE = sql`state`;
const STATE_AND_LANE = sql`state, lane`;

function insertRows(dialect: Dialect, jobs: readonly NewJob[]): Fragment {
  const hasTenants = jobs.some(isOfTenant);
  const states = new InitialStates(dialect.nowAfterCreatedAt, hasTenants, jobs.some(hasPriority));
  const rare = RARE_COLUMNS.filter(({ isNeeded }) => jobs.some(isNeeded));
  const others = sql.openList(4 + rare.length);
  const someExpire = jobs.some(expires);
  const rows: Fragment[] = [];
  const parameters: Parameter[] = [];
  let last: InitialState | undefined;
  let lastExpiry: string | undefined;
  let row = sql.empty;
  for (const job of jobs) {
    const initial = states.addState(job, parameters);
    parameters.push(job.id, job.queue, job.name, job.payload);
    for (const { valueOf } of rare) {
      parameters.push(valueOf(job));
    }
    const expiry = someExpire ? sql`,${expiryOf(dialect.nowAfterCreatedAt, job, parameters)}` : sql.empty;
    if (initial !== last || expiry.sql !== lastExpiry) {
      // Usually once for all jobs.
      const { state, lane, position, runAt } = initial;
      const place = hasTenants ? sql`${state},${lane}` : state;
      row = sql`(${dialect.now},${place},${position},${runAt},${others}${expiry})`;
      last = initial;
      lastExpiry = expiry.sql;
    }
    rows.push(row);
  }
  const rareColumns = sql.join(
    rare.map(({ column }) => column),
    sql.empty,
  );
  const expiryColumn = someExpire ? sql`, expires_at` : sql.empty;
  // The columns after `created_at` can refer to it.
  return sql.recurring(
    sql`INSERT INTO ${dialect.tables.job}
          (created_at, ${hasTenants ? STATE_AND_LANE : STATE}, position, run_at, id, queue, name, payload${rareColumns}${expiryColumn})
        VALUES ${sql.rows(rows, parameters)}`,
  );
}

/** Columns that have their default in most jobs: an INSERT has only those that one of its jobs needs. */
const RARE_COLUMNS: readonly {
  readonly column: Fragment;
  readonly isNeeded: (job: NewJob) => boolean;
  readonly valueOf: (job: NewJob) => Parameter;
}[] = [
  { column: sql`, job_key`, isNeeded: ({ key }) => key !== null, valueOf: ({ key }) => key },
  { column: sql`, priority`, isNeeded: hasPriority, valueOf: ({ priority }) => priority },
  { column: sql`, unique_key`, isNeeded: ({ unique }) => unique !== null, valueOf: uniqueKeyOf },
  {
    column: sql`, payload_version`,
    isNeeded: ({ payloadVersion }) => payloadVersion !== 1,
    valueOf: ({ payloadVersion }) => payloadVersion,
  },
  { column: sql`, order_key`, isNeeded: isOrdered, valueOf: ({ order }) => order?.key ?? null },
  {
    column: sql`, order_blocks`,
    isNeeded: isOrdered,
    valueOf: ({ order }) => (order ? Number(order.blocks) : null),
  },
  { column: sql`, order_head`, isNeeded: isOrdered, valueOf: ({ order }) => (order ? 0 : null) },
  { column: sql`, tenant`, isNeeded: isOfTenant, valueOf: ({ tenant }) => tenant },
  { column: sql`, tenant_lane`, isNeeded: isOfTenant, valueOf: ({ tenant }) => laneOf(tenant) },
  {
    column: sql`, group_id`,
    isNeeded: ({ groupId }) => groupId !== undefined,
    valueOf: ({ groupId }) => groupId ?? null,
  },
  { column: sql`, trace`, isNeeded: ({ trace }) => trace !== undefined, valueOf: ({ trace }) => trace ?? null },
];

function isOfTenant({ tenant }: NewJob): boolean {
  return tenant !== null;
}

function hasPriority({ priority }: NewJob): boolean {
  return priority !== 0;
}

/** The unique key that the job frees at its end; a key that only its window holds is not freed by the job. */
function uniqueKeyOf({ unique }: NewJob): string | null {
  return unique === null || unique.lasts === 'window' ? null : unique.key;
}

/** The jobs that an earlier try has not stored. */
export function* notYetStored(dialect: Dialect, jobs: readonly NewJob[]): Operation<readonly NewJob[]> {
  const stored = new Set<string>();
  for (const chunk of chunksOf(jobs, MOST_IDS)) {
    const ids = sql.list(chunk.map(({ id }) => id));
    const rows = yield* select<{ id: Buffer }>(sql`SELECT id FROM ${dialect.tables.job} WHERE id IN (${ids})`);
    rows.forEach(({ id }) => stored.add(id.toString('hex')));
  }
  return jobs.filter(({ id }) => !stored.has(id.toString('hex')));
}
