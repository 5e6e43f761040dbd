import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { ensureRow } from './queue-settings.js';

/** A job that a worker handles. */
export interface DeclaredJob {
  readonly name: string;
  readonly queue: string;
  /** Whether its definition has rules that the procedure `tq_enqueue` cannot apply. */
  readonly isCodeOnly: boolean;
}

/**
 * Stores which jobs of a worker only code can enqueue, so that the procedure `tq_enqueue` refuses them. Names of jobs
 * that the worker does not handle are left alone. Part of a transaction. Does nothing the second time.
 *
 * Index: reads all rows of queues, a few. Locks: the primary keys of the rows that change, in their order; claims of a
 * limited queue lock the same row.
 */
export function* declareCodeOnlyJobs(dialect: Dialect, jobs: readonly DeclaredJob[]): Operation<void> {
  const { tables, forUpdate } = dialect;
  const rows = yield* select<{ queue: string; names: string | null }>(
    sql`SELECT queue, code_only_jobs AS names FROM ${tables.queue}`,
  );
  const stored = new Map(rows.map(({ queue, names }) => [queue, names]));
  const queues = new Set([...stored.keys(), ...jobs.map(({ queue }) => queue)]);
  for (const queue of [...queues].sort()) {
    const before = stored.get(queue) ?? null;
    if (namesOf(queue, before, jobs) === before) {
      continue;
    }
    yield* ensureRow(dialect, queue);
    // Another worker may add its names at the same time.
    const [row] = yield* select<{ names: string | null }>(
      sql`SELECT code_only_jobs AS names FROM ${tables.queue} WHERE queue = ${queue} ${forUpdate}`,
    );
    const names = namesOf(queue, row?.names ?? null, jobs);
    yield* change(sql`UPDATE ${tables.queue} SET code_only_jobs = ${names} WHERE queue = ${queue}`);
  }
}

/** The names to store for a queue. They cannot contain a comma. */
function namesOf(queue: string, before: string | null, jobs: readonly DeclaredJob[]): string | null {
  const names = new Set(before?.split(','));
  jobs.forEach(({ name }) => names.delete(name));
  jobs.filter((job) => job.isCodeOnly && job.queue === queue).forEach(({ name }) => names.add(name));
  return names.size === 0 ? null : [...names].sort().join(',');
}
