import type { Dialect } from '../engine/dialect.js';
import { type Operation, type Parameter, change, placeholders, select } from '../engine/operation.js';
import { readyPosition } from './lane.js';
import type { NewJob } from './new-job.js';

/**
 * Stores new jobs: one INSERT, and one more for the keys if there are any.
 *
 * Index: only inserts by primary key, no row is looked for. Locks: the new rows. In a caller's transaction it is part
 * of that; otherwise it is a transaction of its own, and `again` tells that an earlier try may have been committed:
 * then the ids decide what is still to be stored. A job that has been handled meanwhile is found in the history.
 */
export function* insertJobs(dialect: Dialect, jobs: readonly NewJob[], again = false): Operation<void> {
  const missing = again ? yield* notYetStored(dialect, jobs) : jobs;
  const keyed = missing.filter(({ key }) => key !== null);
  if (keyed.length > 0) {
    // First, for a caller's connection without a transaction: a key without its job is looked past, a job without its
    // key could not be found by it.
    yield* change(
      `INSERT INTO ${dialect.tables.key} (job_key, job_id) VALUES ${keyed.map(() => '(?, ?)').join(', ')}`,
      keyed.flatMap(({ key, id }) => [key, id]),
    );
  }
  const rows = missing.map((job) => rowOf(dialect, job));
  if (rows.length > 0) {
    yield* change(
      `INSERT INTO ${dialect.tables.job}
         (state, position, run_at, created_at, id, queue, name, job_key, payload, priority)
       VALUES ${rows.map(({ sql }) => sql).join(',\n              ')}`,
      rows.flatMap(({ parameters }) => parameters),
    );
  }
}

interface Fragment {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

function rowOf(dialect: Dialect, job: NewJob): Fragment {
  const place = placeOf(dialect.now, job);
  return {
    sql: `(${place.sql}, ${dialect.now}, ?, ?, ?, ?, ?, ?)`,
    parameters: [...place.parameters, job.id, job.queue, job.name, job.key, job.payload, job.priority],
  };
}

/** State, position and due time. Whether a time has come is decided by the database: its clock is the one that counts. */
function placeOf(now: string, { due, priority }: NewJob): Fragment {
  if ('at' in due) {
    const { at } = due;
    return {
      sql: `CASE WHEN ? > ${now} THEN 'scheduled' ELSE 'ready' END,
            CASE WHEN ? > ${now} THEN ? ELSE ${readyPosition('?', '?')} END, ?`,
      parameters: [at, at, at, priority, at, at],
    };
  }
  if (due.delay > 0) {
    return { sql: `'scheduled', ${now} + ?, ${now} + ?`, parameters: [due.delay, due.delay] };
  }
  return { sql: `'ready', ${readyPosition('?', now)}, ${now}`, parameters: [priority] };
}

function* notYetStored(dialect: Dialect, jobs: readonly NewJob[]): Operation<readonly NewJob[]> {
  const { job, history } = dialect.tables;
  const ids = jobs.map(({ id }) => id);
  const stored = new Set<string>();
  for (const table of [job, history]) {
    for (const row of yield* select<{ id: Buffer }>(
      `SELECT id FROM ${table} WHERE id IN (${placeholders(ids)})`,
      ids,
    )) {
      stored.add(row.id.toString('hex'));
    }
  }
  return jobs.filter(({ id }) => !stored.has(id.toString('hex')));
}
