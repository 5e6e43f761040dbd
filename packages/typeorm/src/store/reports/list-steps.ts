import { uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { StepCause } from '../../errors/index.js';
import type { StepKind, StepState } from '../../tables/step.js';
import { storedValue } from '../base/jobs/stored-value.js';
import { type AwaitedGroup, findAwaited } from './find-groups-of.js';

/** A step or a wait of a durable job, as `queue.steps` returns it. */
export interface StepSnapshot {
  /** Its name; empty for the cursor of the handler. */
  readonly name: string;
  /** What it records. */
  readonly kind: 'step' | 'sleep' | 'signal' | 'child' | 'cursor';
  /** `open`: it waits, or is tried again. `late`: its timeout was over before a signal came. */
  readonly state: StepState;
  /** The attempt of the job that has stored it. */
  readonly attempt: number;
  /** How often the step has failed in a row. */
  readonly failures: number;
  /** When the sleep ends, the timeout is over, or the step is tried again; undefined if it has no time. */
  readonly dueAt: Date | undefined;
  /** The signals that an open wait is for. */
  readonly awaits: readonly string[];
  /** The children that a call of `run` or `runAll` has started; undefined for others, and after they were pruned. */
  readonly children: AwaitedGroup | undefined;
  /** The last error of the step. */
  readonly error: StepCause | undefined;
  /** How long the step took, in ms; undefined for others. */
  readonly took: number | undefined;
  /** When it was stored, by the database's clock. */
  readonly recordedAt: Date;
  /** The result, or the cursor of an open step; undefined without `results`. */
  readonly result: unknown;
}

/**
 * Reads the steps and waits of a job, in the order in which they were stored. Index: a range of the primary key. Locks
 * nothing.
 */
export function* listSteps(dialect: Dialect, jobId: Buffer, results: boolean): Operation<StepSnapshot[]> {
  const { tables } = dialect;
  const rows = yield* select(
    sql`SELECT kind, name, state, attempt, failures, due_at, error, awaits, took, recorded_at,
               ${results ? sql`value` : sql`NULL`} AS value
        FROM ${tables.step} WHERE job_id = ${jobId} ORDER BY seq`,
  );
  const isMain = (kind: StepKind) => !kind.startsWith('any');
  const steps: StepSnapshot[] = [];
  for (const row of rows.filter(({ kind }) => isMain(kind as StepKind))) {
    const set = row.kind === 'child' && row.awaits !== null ? uuidToBytes(row.awaits as string) : undefined;
    steps.push({
      name: row.name as string,
      kind: row.kind as StepSnapshot['kind'],
      state: row.state as StepState,
      attempt: Number(row.attempt),
      failures: Number(row.failures),
      dueAt: row.state === 'open' && row.due_at !== null ? new Date(Number(row.due_at)) : undefined,
      awaits: rows.flatMap(({ name, state, awaits }) =>
        name === row.name && state === 'open' && row.kind === 'signal' && awaits !== null ? [awaits as string] : [],
      ),
      children: set && (yield* findAwaited(dialect, set)),
      error: storedValue(row.error) as StepCause | undefined,
      took: row.took === null ? undefined : Number(row.took),
      recordedAt: new Date(Number(row.recorded_at)),
      result: storedValue(row.value),
    });
  }
  return steps;
}
