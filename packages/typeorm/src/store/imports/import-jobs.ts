import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { caseById } from '../base/case-by-id.js';
import { MOST_IDS, chunksBySize, chunksOf } from '../base/chunks.js';
import { storeErrors } from '../base/jobs/attempt-errors.js';
import { type NewGroup, insertGroups } from '../base/jobs/insert-groups.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { inKeyOrder, keyOf } from '../base/locks/fence.js';
import { intoFinished } from '../base/order/lane.js';
import { findImported } from './imported-table.js';

/** A job of another queue. */
export interface ImportedJob extends NewJob {
  /** How many attempts it has had there. All of them have failed. */
  readonly attempts: number;
  /** The error that it has failed with for good. Left out: it has not. */
  readonly error?: string;
}

/** Jobs that are imported all or none: one job, or the jobs of a flow with their groups. */
export interface ImportedUnit {
  readonly jobs: readonly [ImportedJob, ...ImportedJob[]];
  readonly groups: readonly NewGroup[];
}

/**
 * Stores jobs of another queue, and remembers their ids, in one transaction. Units whose ids are remembered are left
 * out: a second run, or one after a crash, stores nothing twice.
 *
 * Inserts by primary key, then changes the new rows by it. Locks the new rows. If two imports store the same unit, the
 * second one fails at the remembered id, and stores nothing.
 *
 * @returns how many jobs were stored.
 */
export function* importJobs(dialect: Dialect, units: readonly ImportedUnit[]): Operation<number> {
  const known = yield* findImported(
    dialect,
    units.map(({ jobs: [first] }) => first.id),
  );
  const fresh = units.filter(({ jobs: [first] }) => !known.has(first.id.toString('hex')));
  const jobs = inKeyOrder(fresh.flatMap((unit) => unit.jobs as readonly ImportedJob[]));
  for (const chunk of chunksOf(jobs, MOST_IDS)) {
    const rows = sql.rows(
      chunk.map(() => sql`(${sql.open}, ${dialect.now})`),
      chunk.map(({ id }) => id),
    );
    yield* change(sql`INSERT INTO ${dialect.tables.imported} (id, imported_at) VALUES ${rows}`);
  }
  const groups = fresh.flatMap((unit) => unit.groups);
  yield* groups.length > 0 ? insertGroups(dialect, groups, jobs) : insertJobs(dialect, jobs);
  yield* setAttempts(
    dialect,
    jobs.filter(({ attempts }) => attempts > 0),
  );
  yield* fail(dialect, jobs.filter(hasFailed));
  return jobs.length;
}

type FailedImport = ImportedJob & { readonly error: string };

function hasFailed(job: ImportedJob): job is FailedImport {
  return job.error !== undefined;
}

/** Earlier attempts count for the retry policy. */
function* setAttempts(dialect: Dialect, jobs: readonly ImportedJob[]): Operation<void> {
  for (const [attempts, own] of groupBy(jobs, (job) => job.attempts)) {
    for (const chunk of chunksOf(own, MOST_IDS)) {
      yield* change(
        sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET attempt = ${attempts}, failures = ${attempts}
            WHERE id IN (${sql.list(chunk.map(({ id }) => id))})`,
      );
    }
  }
}

/** Failed at the time of the import: by the time of its failure, retention could delete it at once. */
function* fail(dialect: Dialect, jobs: readonly FailedImport[]): Operation<void> {
  const bytesOf = ({ error }: FailedImport, measure: (text: string) => number) => 300 + measure(error);
  for (const chunk of chunksBySize(dialect, jobs, MOST_IDS, bytesOf)) {
    const errors = caseById(chunk.map(({ id, error }) => ({ id, value: error })));
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
          SET ${intoFinished(dialect, sql`'failed'`)}, last_error = ${errors}
          WHERE id IN (${sql.list(chunk.map(({ id }) => id))})`,
    );
  }
  const errors = jobs.map(({ id, attempts: attempt, error }) => ({ job: { id, owner: 0, attempt }, error }));
  yield* storeErrors(dialect, errors, new Map(errors.map(({ job }) => [keyOf(job), { claimed_at: 0 }])));
}
