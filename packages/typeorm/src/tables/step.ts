import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/**
 * What a row of `tq_step` records. `any1`, `any2`, …: the further signals that an open `waitForAny` waits for.
 *
 * `undo` and `end` are reserved.
 */
export type StepKind = 'step' | 'sleep' | 'signal' | 'cursor' | 'child' | `any${number}`;

/** `open`: not done yet, or waits. `late`: a wait whose timeout is over. */
export type StepState = 'open' | 'done' | 'failed' | 'late';

/** One row of `tq_step`: a step, a wait or a cursor of a durable job. */
export class TableQueueStep {
  readonly jobId!: string;
  readonly kind!: StepKind;
  /** Empty for the cursor of the handler. */
  readonly name!: string;
  readonly state!: StepState;
  /** The order in which the job has recorded its rows. */
  readonly seq!: number;
  /** The attempt that has written it; of an open wait, the attempt that waits. 0 before an attempt does. */
  readonly attempt!: number;
  /** How often the step has failed in a row. */
  readonly failures!: number;
  /** The end of a sleep, the timeout of a wait, or the next try of a step; null if there is none. */
  readonly dueAt!: number | null;
  /** The result, or the cursor of an open step, as JSON text. */
  readonly value!: string | null;
  /** The last error of a step, as JSON text. */
  readonly error!: string | null;
  /** Reserved: whether the step can be undone. */
  readonly undoes!: number;
  /** The signal that an open wait is for; for children the id of their set. */
  readonly awaits!: string | null;
  /** How many such signals it needs: one for each child. */
  readonly needs!: number;
  /** How long the step took, in ms. */
  readonly took!: number | null;
  readonly recordedAt!: number;
}

const WORD_LENGTH = 8;

export const stepTable = defineTable(TableQueueStep, 'step', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    kind: { ...types.name(WORD_LENGTH), name: 'kind', primary: true },
    name: { ...types.text(NAME_LENGTH.step), name: 'name', primary: true },
    state: { ...types.name(WORD_LENGTH), name: 'state' },
    seq: { ...types.count, name: 'seq' },
    attempt: { ...types.count, name: 'attempt' },
    failures: { ...types.version, name: 'failures', default: 0 },
    dueAt: { ...types.time, name: 'due_at', nullable: true },
    value: { ...types.longText, name: 'value', nullable: true },
    error: { ...types.longText, name: 'error', nullable: true },
    undoes: { ...types.kind, name: 'undoes', default: 0 },
    awaits: { ...types.text(NAME_LENGTH.step), name: 'awaits', nullable: true },
    needs: { ...types.count, name: 'needs', default: 1 },
    took: { ...types.count, name: 'took', nullable: true },
    recordedAt: { ...types.time, name: 'recorded_at' },
  },
}));
