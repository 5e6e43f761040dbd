import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** The stages of a signal. */
export const SIGNAL_STAGE = {
  /** Its job may wait for it and not be awake yet. */
  new: 0,
  /** Its job was woken up behind the commit, if it waited. */
  offered: 1,
  /** A wait has taken it. It is kept because of its `once`. */
  taken: 2,
} as const;

/**
 * One row of `tq_signal`: a signal to a live job.
 *
 * Its primary key has the signals of a job and a name in the order of their sending, so a wait finds the oldest one
 * with one lookup.
 */
export class TableQueueSignal {
  readonly jobId!: string;
  readonly name!: string;
  readonly sentAt!: number;
  readonly id!: string;
  /** JSON text; null for none. */
  readonly data!: string | null;
  /** A second signal with this text is not stored. */
  readonly once!: string | null;
  /** See `SIGNAL_STAGE`. */
  readonly stage!: number;
}

export const signalTable = defineTable(TableQueueSignal, 'signal', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    name: { ...types.text(NAME_LENGTH.step), name: 'name', primary: true },
    sentAt: { ...types.time, name: 'sent_at', primary: true },
    id: { ...types.id, name: 'id', primary: true },
    data: { ...types.longText, name: 'data', nullable: true },
    once: { ...types.text(NAME_LENGTH.step), name: 'once', nullable: true },
    stage: { ...types.kind, name: 'stage', default: 0 },
  },
  indices: { stage: ['stage', 'sentAt'] },
  uniques: { once: ['jobId', 'name', 'once'] },
}));
