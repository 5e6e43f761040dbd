import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { type Measure, chunksBySize } from '../base/chunks.js';
import { classifyUnlocked } from '../base/locks/classify-unlocked.js';
import type { WhenLocked } from '../base/locks/lock-skipping-locked.js';
import { STEP_BYTES, type StepRow } from '../base/steps/step-row.js';

/** How many rows one statement stores at most: SQLite allows 500 SELECTs in a UNION. */
export const MOST_STEPS = 200;

/** A step that a run records. */
export interface RecordedStep extends StepRow {
  /** Whether its job has no such row yet. */
  readonly isNew: boolean;
}

/** The result of recording steps. Those in neither list are lost: another worker has their jobs. */
export interface RecordedSteps {
  readonly stored: readonly RecordedStep[];
  /** Another transaction has locked their jobs: try again later. */
  readonly busy: readonly RecordedStep[];
}

const UNION_ALL = sql` UNION ALL `;
const OR = sql` OR `;
const KEY = sql`job_id, kind, name`;
const CHANGED = [
  sql`state`,
  sql`seq`,
  sql`attempt`,
  sql`failures`,
  sql`value`,
  sql`error`,
  sql`awaits`,
  sql`took`,
  sql`recorded_at`,
];

/** The columns that a step brings with it: see `valuesOf`. */
const GIVEN = [sql`kind`, sql`name`, sql`state`, sql`seq`, sql`failures`, sql`value`, sql`error`, sql`took`];
const GIVEN_LIST = sql.join(GIVEN);

/**
 * Stores steps of running jobs, one statement for up to `MOST_STEPS`, outside a transaction or as part of one.
 *
 * Index: the primary keys, from the given rows to their jobs. Locks: the jobs' rows under the fence, then the rows of
 * the steps, which only the holder of the job writes. Rows of jobs that are locked are left out, or with `wait` waited
 * for. If the process dies, a statement has taken effect or not; the steps of the others run again. A second run stores
 * the same.
 *
 * @param isRetry whether an earlier try may have stored some.
 */
export function* recordSteps(
  dialect: Dialect,
  steps: readonly RecordedStep[],
  isRetry = false,
  whenLocked: WhenLocked = 'skip',
): Operation<RecordedSteps> {
  const stored: RecordedStep[] = [];
  const busy: RecordedStep[] = [];
  for (const chunk of chunksBySize(dialect, steps, MOST_STEPS, bytesOfStep)) {
    const expected = chunk.reduce((sum, { isNew }) => sum + (isNew ? 1 : dialect.affectedByUpdate), 0);
    if ((yield* insertFenced(dialect, chunk, whenLocked)) === expected && !isRetry) {
      stored.push(...chunk);
      continue;
    }
    const found = yield* findStored(dialect, chunk);
    const others = chunk.filter((step) => !found.has(step));
    stored.push(...found);
    if (others.length > 0) {
      busy.push(...(yield* classifyUnlocked(dialect, others, ({ job }) => job, whenLocked)).busy);
    }
  }
  return { stored, busy };
}

function bytesOfStep({ name, value, error }: RecordedStep, measure: Measure): number {
  return STEP_BYTES + measure(name) + measure(value) + measure(error);
}

function insertFenced(dialect: Dialect, steps: readonly RecordedStep[], whenLocked: WhenLocked): Operation<number> {
  const { tables, now, forUpdate, forUpdateSkipLocked } = dialect;
  const { values, from } = steps.length === 1 ? sourceOfOne(dialect, steps[0]!) : sourceOfMany(dialect, steps);
  const assignments = sql.join(CHANGED.map((column) => sql`${column} = ${dialect.newValue(column)}`));
  return change(
    sql`INSERT INTO ${tables.step} (job_id, attempt, ${GIVEN_LIST}, awaits, recorded_at)
        SELECT job.id, job.attempt, ${values}, NULL, ${now}
        FROM ${from} ${whenLocked === 'wait' ? forUpdate : forUpdateSkipLocked}
        ${dialect.onConflictUpdate(KEY)} ${assignments}`,
  );
}

/** The values of steps, and the jobs that they are for, under the fence. */
interface StepSource {
  readonly values: Fragment;
  readonly from: Fragment;
}

/** Without a derived table: on MariaDB a step took 0.9 times as long. */
function sourceOfOne({ tables, byPrimaryKey }: Dialect, step: RecordedStep): StepSource {
  const { id, owner, attempt } = step.job;
  return {
    values: sql.join(valuesOf(step)),
    from: sql`${tables.job} job ${byPrimaryKey} WHERE ${isHeld(sql`${id}`, sql`${owner}`, sql`${attempt}`)}`,
  };
}

function sourceOfMany({ tables, byPrimaryKey, joinInOrder }: Dialect, steps: readonly RecordedStep[]): StepSource {
  const given = steps.map((step) => {
    const { id, owner, attempt } = step.job;
    const values = valuesOf(step).map((value, index) => sql`${value} AS ${GIVEN[index]!}`);
    return sql`SELECT ${id} AS id, ${owner} AS owner, ${attempt} AS attempt, ${sql.join(values)}`;
  });
  const held = isHeld(sql`given.id`, sql`given.owner`, sql`given.attempt`);
  return {
    values: sql.join(GIVEN.map((column) => sql`given.${column}`)),
    from: sql`(${sql.join(given, UNION_ALL)}) given
              ${joinInOrder} ${tables.job} job ${byPrimaryKey} ON ${held}
              WHERE TRUE`,
  };
}

/** The fence. */
function isHeld(id: Fragment, owner: Fragment, attempt: Fragment): Fragment {
  return sql`job.id = ${id} AND job.owner = ${owner} AND job.attempt = ${attempt} AND job.state = 'running'`;
}

function valuesOf({ kind, name, state, seq, failures, value, error, took }: RecordedStep): Fragment[] {
  return [kind, name, state, seq, failures, value, error, took].map((each) => sql`${each}`);
}

/**
 * A row of this attempt with this number is stored: a later write of the attempt has a higher one. The job must still be
 * held by this worker: a server that has lost the commit of a claim gives its number to the next attempt.
 */
function* findStored({ tables }: Dialect, steps: readonly RecordedStep[]): Operation<Set<RecordedStep>> {
  const conditions = steps.map(
    ({ job, kind, name, seq }) =>
      sql`(${isHeld(sql`${job.id}`, sql`${job.owner}`, sql`${job.attempt}`)}
           AND step.kind = ${kind} AND step.name = ${name} AND step.attempt = ${job.attempt} AND step.seq = ${seq})`,
  );
  const rows = yield* select<{ job_id: Buffer; kind: string; name: string; attempt: number | string }>(
    sql`SELECT step.job_id, step.kind, step.name, step.attempt
        FROM ${tables.step} step JOIN ${tables.job} job ON job.id = step.job_id WHERE ${sql.join(conditions, OR)}`,
  );
  // With the attempt: a worker that has lost its lease may run two attempts of a job, whose steps end together.
  const keyOf = (id: Buffer, attempt: number, kind: string, name: string) =>
    `${id.toString('hex')} ${attempt} ${kind} ${name}`;
  const found = new Set(rows.map(({ job_id: id, attempt, kind, name }) => keyOf(id, Number(attempt), kind, name)));
  return new Set(steps.filter(({ job, kind, name }) => found.has(keyOf(job.id, job.attempt, kind, name))));
}

/**
 * Finds out whether a step was stored by a COMMIT whose outcome is unknown. Part of a transaction that has locked the
 * row of its job, so a COMMIT that still runs in the server has ended.
 */
export function* isStepStored(dialect: Dialect, step: RecordedStep): Operation<boolean> {
  return (yield* findStored(dialect, [step])).size > 0;
}
