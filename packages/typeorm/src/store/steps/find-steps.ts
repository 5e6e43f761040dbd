import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { StepKind, StepState } from '../../tables/step.js';

/** A row of a job, as its next run needs it. */
export interface FoundStep {
  readonly kind: StepKind;
  readonly name: string;
  readonly state: StepState;
  readonly seq: number;
  readonly failures: number;
  /** In ms by the database's clock. */
  readonly dueAt: number | null;
  readonly isDue: boolean;
  readonly value: string | null;
  readonly error: string | null;
  /** The id of the set of children that an open row awaits. */
  readonly awaits: string | null;
  /** How many children it awaits. */
  readonly needs: number;
}

/** The rows of a job. */
export interface FoundSteps {
  readonly steps: readonly FoundStep[];
  /** The present time, in ms by the database's clock. */
  readonly now: number;
}

/**
 * Reads the rows of a job. Index: a range of the primary key. Locks nothing: a claim has locked the job's row after
 * every fenced write of an earlier attempt.
 */
export function* findSteps({ tables, now }: Dialect, jobId: Buffer): Operation<FoundSteps> {
  const rows = yield* select(
    sql`SELECT kind, name, state, seq, failures, due_at, value, error, awaits, needs, ${now} AS present
        FROM ${tables.step} WHERE job_id = ${jobId}`,
  );
  const present = Number(rows[0]?.present ?? 0);
  return {
    now: present,
    steps: rows.map((row) => {
      const dueAt = row.due_at === null ? null : Number(row.due_at);
      return {
        kind: row.kind as StepKind,
        name: row.name as string,
        state: row.state as StepState,
        seq: Number(row.seq),
        failures: Number(row.failures),
        dueAt,
        isDue: dueAt !== null && dueAt <= present,
        value: row.value as string | null,
        error: row.error as string | null,
        awaits: row.awaits as string | null,
        needs: Number(row.needs),
      };
    }),
  };
}
