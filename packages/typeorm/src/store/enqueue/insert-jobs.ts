import { assertJobName, assertQueueName } from '../../definition/names.js';
import type { Dialect } from '../../engine/dialect.js';
import {
  type Operation,
  type Parameter,
  type Statement,
  change,
  placeholders,
  select,
} from '../../engine/operation.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { type NewJob, commonOf } from './new-job.js';
import { type InitialState, InitialStates } from './initial-state.js';
import { laneOf } from '../claim/tenant-lanes.js';

/**
 * From how many jobs of one name on it stands in the text, with the queue, and not among the values of each row. For fewer
 * it is not worth a text of its own for each name, of which a connection keeps eight prepared.
 */
const NAMED_ONCE_FROM = 100;
/**
 * How many characters these names come to at most, in all rows of an INSERT together. Beside them a row of a job that is due
 * now has 104 characters, and V8 keeps a text of more than 128 KB by itself, in pages that are mapped for it: joining such a
 * text of 1,000 rows, and looking for it among what is prepared, took 5 µs of CPU time a row; of fewer characters, 1 µs
 * (Node.js 20.20, 2026-11-25).
 */
const MOST_NAMED = 26_000;

/**
 * Stores new jobs: one INSERT for each `jobsPerInsert`, and one more for their keys if they have any.
 *
 * Index: only inserts by primary key, no row is looked for. Locks: the new rows. In a caller's transaction it is part
 * of that; otherwise it is a transaction of its own, and `again` tells that an earlier try may have been committed:
 * then the ids decide what is still to be stored. A job that has been handled meanwhile is found in the
 * history, unless it keeps nothing: then it is stored and run once more.
 */
export function* insertJobs(dialect: Dialect, jobs: readonly NewJob[], again = false): Operation<void> {
  const missing = again ? yield* notYetStored(dialect, jobs) : jobs;
  // Each is sent when the one before has succeeded: after a deadlock the transaction is gone, and what the driver has
  // already been handed would be committed by itself.
  for (const part of partsOf(dialect, missing)) {
    const keyed = part.filter(({ key }) => key !== null);
    if (keyed.length > 0) {
      // First, for a caller's connection without a transaction: a key without its job is looked past, a job without
      // its key could not be found by it.
      const { sql, parameters } = insertKeys(dialect, keyed);
      yield* change(sql, parameters);
    }
    yield [insertRows(dialect, part)];
  }
}

/** Whether these jobs take more than one statement, and a transaction to be stored all or none. */
export function takesTransaction(dialect: Dialect, jobs: readonly NewJob[]): boolean {
  return partsOf(dialect, jobs).length > 1 || jobs.some(({ key }) => key !== null);
}

function partsOf({ jobsPerInsert }: Dialect, jobs: readonly NewJob[]): NewJob[][] {
  return [...chunksOf(jobs, jobsPerInsert, ({ payload }) => payload?.length ?? 0)];
}

function insertKeys({ tables }: Dialect, jobs: readonly NewJob[]): Statement {
  return {
    sql: `INSERT INTO ${tables.key} (job_key, job_id) VALUES ${jobs.map(() => '(?, ?)').join(', ')}`,
    parameters: jobs.flatMap(({ key, id }) => [key, id]),
  };
}

function insertRows(dialect: Dialect, jobs: readonly NewJob[]): Statement {
  // Behind `created_at`, so that they can refer to it.
  const hasTenants = jobs.some(isOfTenant);
  const places = new InitialStates(dialect.nowOnceCreated, hasTenants, jobs.some(hasPriority));
  const rare = RARE_COLUMNS.filter(({ isNeeded }) => jobs.some(isNeeded));
  const names = namesOfAll(jobs);
  const values = `?,${names ?? '?,?'},?${',?'.repeat(rare.length)}`;
  const rows: string[] = [];
  const parameters: Parameter[] = [];
  let last: InitialState | undefined;
  let row = '';
  for (const job of jobs) {
    const place = places.addPlace(job, parameters);
    if (place !== last) {
      // As a rule once for all jobs.
      const lane = hasTenants ? `${place.state},${place.owner}` : place.state;
      row = `(${dialect.now},${lane},${place.position},${place.runAt},${values})`;
      last = place;
    }
    rows.push(row);
    parameters.push(job.id);
    if (names === undefined) {
      parameters.push(job.queue, job.name);
    }
    parameters.push(job.payload);
    for (const { valueOf } of rare) {
      parameters.push(valueOf(job));
    }
  }
  const columns = rare.map(({ name }) => `, ${name}`).join('');
  return {
    recurs: true,
    sql: `INSERT INTO ${dialect.tables.job}
            (created_at, ${hasTenants ? 'state, owner' : 'state'}, position, run_at, id, queue, name, payload${columns})
          VALUES ${rows.join(',')}`,
    parameters,
  };
}

/**
 * The queue and the name of jobs as texts in SQL, where all have the same; undefined where they differ, are few, or are
 * too long for so many. Nothing in a name needs to be escaped, see `assertJobName`.
 */
function namesOfAll(jobs: readonly NewJob[]): string | undefined {
  if (jobs.length < NAMED_ONCE_FROM) {
    return undefined;
  }
  const queue = commonOf(jobs, (job) => job.queue);
  const name = commonOf(jobs, (job) => job.name);
  if (queue === undefined || name === undefined) {
    return undefined;
  }
  assertQueueName(queue);
  assertJobName(name);
  const names = `'${queue}','${name}'`;
  return names.length * jobs.length > MOST_NAMED ? undefined : names;
}

/** Columns of which most jobs have the default: an INSERT names those only that one of its jobs needs. */
const RARE_COLUMNS: readonly {
  readonly name: string;
  readonly isNeeded: (job: NewJob) => boolean;
  readonly valueOf: (job: NewJob) => Parameter;
}[] = [
  { name: 'job_key', isNeeded: ({ key }) => key !== null, valueOf: ({ key }) => key },
  { name: 'priority', isNeeded: hasPriority, valueOf: ({ priority }) => priority },
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

function hasPriority({ priority }: NewJob): boolean {
  return priority !== 0;
}

/** The unique key the job has to let go of; one that is held by its window alone is none of its business. */
function heldKeyOf({ unique }: NewJob): string | null {
  return unique === null || unique.lasts === 'window' ? null : unique.key;
}

/** Those that an earlier try has not stored. */
export function* notYetStored(dialect: Dialect, jobs: readonly NewJob[]): Operation<readonly NewJob[]> {
  const { job, history } = dialect.tables;
  const stored = new Set<string>();
  for (const part of chunksOf(jobs, MOST_IDS)) {
    const ids = part.map(({ id }) => id);
    for (const table of [job, history]) {
      const rows = yield* select<{ id: Buffer }>(`SELECT id FROM ${table} WHERE id IN (${placeholders(ids)})`, ids);
      rows.forEach(({ id }) => stored.add(id.toString('hex')));
    }
  }
  return jobs.filter(({ id }) => !stored.has(id.toString('hex')));
}
