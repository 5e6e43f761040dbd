import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Parameter, type Statement, change, placeholders, select } from '../engine/operation.js';
import { MOST_IDS, inParts } from './in-parts.js';
import { positionOf, readyPosition } from './place.js';
import type { NewJob } from './new-job.js';
import { readClock } from './read-clock.js';
import { laneOf } from './tenant-lanes.js';

/** How many jobs one INSERT stores at most. */
export const JOBS_PER_INSERT = 500;
/** Parsing fewer is lost in what their commit takes: one takes 406 µs as text and 405 prepared (MariaDB 10.11, 2026-11-23). */
const RECURS_FROM = 5;

/**
 * Stores new jobs: one INSERT for each 500, and one more for their keys if they have any.
 *
 * Index: only inserts by primary key, no row is looked for. Locks: the new rows. In a caller's transaction it is part
 * of that; otherwise it is a transaction of its own, and `again` tells that an earlier try may have been committed:
 * then the ids decide what is still to be stored. A job that has been handled meanwhile is found in the
 * history, unless it keeps nothing: then it is stored and run once more.
 */
export function* insertJobs(dialect: Dialect, jobs: readonly NewJob[], again = false): Operation<void> {
  const missing = again ? yield* notYetStored(dialect, jobs) : jobs;
  const now = missing.length < dialect.readsClockFrom ? undefined : yield* readClock(dialect);
  // Each is sent when the one before has succeeded: after a deadlock the transaction is gone, and what the driver has
  // already been handed would be committed by itself.
  for (const part of partsOf(missing)) {
    const keyed = part.filter(({ key }) => key !== null);
    if (keyed.length > 0) {
      // First, for a caller's connection without a transaction: a key without its job is looked past, a job without
      // its key could not be found by it.
      const { sql, parameters } = insertKeys(dialect, keyed);
      yield* change(sql, parameters);
    }
    yield [insertRows(dialect, part, now)];
  }
}

/** Whether these jobs take more than one statement, and a transaction to be stored all or none. */
export function takesTransaction(jobs: readonly NewJob[]): boolean {
  return partsOf(jobs).length > 1 || jobs.some(({ key }) => key !== null);
}

function partsOf(jobs: readonly NewJob[]): NewJob[][] {
  return [...inParts(jobs, JOBS_PER_INSERT, ({ payload }) => payload?.length ?? 0)];
}

function insertKeys({ tables }: Dialect, jobs: readonly NewJob[]): Statement {
  return {
    sql: `INSERT INTO ${tables.key} (job_key, job_id) VALUES ${jobs.map(() => '(?, ?)').join(', ')}`,
    parameters: jobs.flatMap(({ key, id }) => [key, id]),
  };
}

function insertRows(dialect: Dialect, jobs: readonly NewJob[], now: number | undefined): Statement {
  const rare = RARE_COLUMNS.filter(({ isNeeded }) => jobs.some(isNeeded));
  const values = '?, '.repeat(6 + rare.length).slice(0, -2);
  const rows: string[] = [];
  const parameters: Parameter[] = [];
  const hasTenants = jobs.some(isOfTenant);
  for (const job of jobs) {
    const place = now === undefined ? placeByExpression(dialect.now, job) : placeAt(now, job);
    rows.push(`(${place.sql}, ${values}${hasTenants ? `, ${place.owner.sql}` : ''})`);
    parameters.push(...place.parameters, job.id, job.queue, job.name, job.key, job.payload, job.priority);
    for (const { valueOf } of rare) {
      parameters.push(valueOf(job));
    }
    if (hasTenants) {
      parameters.push(...place.owner.parameters);
    }
  }
  const columns = rare.map(({ name }) => `, ${name}`).join('');
  return {
    recurs: jobs.length >= RECURS_FROM,
    sql: `INSERT INTO ${dialect.tables.job}
            (state, position, run_at, created_at, id, queue, name, job_key, payload, priority${columns}${hasTenants ? ', owner' : ''})
          VALUES ${rows.join(',')}`,
    parameters,
  };
}

/** Columns of which most jobs have the default: an INSERT names those only that one of its jobs needs. */
const RARE_COLUMNS: readonly {
  readonly name: string;
  readonly isNeeded: (job: NewJob) => boolean;
  readonly valueOf: (job: NewJob) => Parameter;
}[] = [
  { name: 'unique_key', isNeeded: ({ unique }) => unique !== null, valueOf: heldKeyOf },
  {
    name: 'payload_version',
    isNeeded: ({ payloadVersion }) => payloadVersion !== 1,
    valueOf: ({ payloadVersion }) => payloadVersion,
  },
  { name: 'tenant', isNeeded: isOfTenant, valueOf: ({ tenant }) => tenant },
  { name: 'lane', isNeeded: isOfTenant, valueOf: ({ tenant }) => laneOf(tenant) },
  { name: 'group_id', isNeeded: ({ groupId }) => groupId !== undefined, valueOf: ({ groupId }) => groupId ?? null },
  { name: 'trace', isNeeded: ({ trace }) => trace !== undefined, valueOf: ({ trace }) => trace ?? null },
];

function isOfTenant({ tenant }: NewJob): boolean {
  return tenant !== null;
}

/** The unique key the job has to let go of; one that is held by its window alone is none of its business. */
function heldKeyOf({ unique }: NewJob): string | null {
  return unique === null || unique.lasts === 'window' ? null : unique.key;
}

/** State, position, due time and time of creation, and the owner by itself. */
interface PlaceOfNew extends Statement {
  readonly owner: Statement;
}

/** Where the present time is known. */
function placeAt(now: number, { due, priority, tenant, waits }: NewJob): PlaceOfNew {
  if (waits) {
    const time = Math.trunc(now);
    return { sql: `'waiting', ?, ?, ?`, parameters: [time, time, time], owner: constant('0') };
  }
  const isDue = 'at' in due ? due.at <= now : due.delay === 0;
  const runAt = 'at' in due ? due.at : now + due.delay;
  const position = isDue ? positionOf({ priority, runAt }) : runAt;
  return {
    sql: `'${isDue ? 'ready' : 'scheduled'}', ?, ?, ?`,
    parameters: [Math.trunc(position), Math.trunc(runAt), Math.trunc(now)],
    owner: { sql: '?', parameters: [isDue ? laneOf(tenant) : 0] },
  };
}

/** The same worked out by the database: its clock is the one that counts. */
function placeByExpression(now: string, job: NewJob): PlaceOfNew {
  const { state, owner, position, runAt } = placeOfNew(now, job);
  return {
    sql: `${state.sql}, ${position.sql}, ${runAt.sql}, ${now}`,
    parameters: [...state.parameters, ...position.parameters, ...runAt.parameters],
    owner,
  };
}

/** Expressions for the place of a new job in its lane. */
export function placeOfNew(
  now: string,
  { due, priority, tenant, waits }: NewJob,
): Record<'state' | 'owner' | 'position' | 'runAt', Statement> {
  if (waits) {
    return { state: constant("'waiting'"), owner: constant('0'), position: constant(now), runAt: constant(now) };
  }
  const lane = laneOf(tenant);
  if ('at' in due) {
    const { at } = due;
    return {
      state: { sql: `CASE WHEN ? > ${now} THEN 'scheduled' ELSE 'ready' END`, parameters: [at] },
      owner: { sql: `CASE WHEN ? > ${now} THEN 0 ELSE ? END`, parameters: [at, lane] },
      position: {
        sql: `CASE WHEN ? > ${now} THEN ? ELSE ${readyPosition('?', '?')} END`,
        parameters: [at, at, priority, at],
      },
      runAt: { sql: '?', parameters: [at] },
    };
  }
  if (due.delay > 0) {
    const later = { sql: `${now} + ?`, parameters: [due.delay] };
    return { state: constant("'scheduled'"), owner: constant('0'), position: later, runAt: later };
  }
  return {
    state: constant("'ready'"),
    owner: { sql: '?', parameters: [lane] },
    position: { sql: readyPosition('?', now), parameters: [priority] },
    runAt: constant(now),
  };
}

function constant(sql: string): Statement {
  return { sql, parameters: [] };
}

/** Those that an earlier try has not stored. */
export function* notYetStored(dialect: Dialect, jobs: readonly NewJob[]): Operation<readonly NewJob[]> {
  const { job, history } = dialect.tables;
  const stored = new Set<string>();
  for (const part of inParts(jobs, MOST_IDS)) {
    const ids = part.map(({ id }) => id);
    for (const table of [job, history]) {
      const rows = yield* select<{ id: Buffer }>(`SELECT id FROM ${table} WHERE id IN (${placeholders(ids)})`, ids);
      rows.forEach(({ id }) => stored.add(id.toString('hex')));
    }
  }
  return jobs.filter(({ id }) => !stored.has(id.toString('hex')));
}
