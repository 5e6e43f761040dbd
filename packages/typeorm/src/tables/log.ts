import { defineTable } from './table.js';

/** The levels of a line in a job's log. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** One row of `tq_log`: a line that a handler has logged. */
export class TableQueueLogRow {
  readonly jobId!: string;
  readonly attempt!: number;
  /** Its number within the attempt, from 1. */
  readonly seq!: number;
  readonly loggedAt!: number;
  readonly level!: (typeof LOG_LEVELS)[number];
  /** The text; with a codec the encoded text and fields. */
  readonly message!: string;
  /** A JSON object, or null. */
  readonly fields!: string | null;
  /** How many lines were dropped from here on: 0 for a line of the handler. */
  readonly dropped!: number;
}

export const logTable = defineTable(TableQueueLogRow, 'log', (types) => ({
  columns: {
    jobId: { ...types.id, name: 'job_id', primary: true },
    attempt: { ...types.count, name: 'attempt', primary: true },
    seq: { ...types.count, name: 'seq', primary: true },
    loggedAt: { ...types.time, name: 'logged_at' },
    level: { ...types.oneOf(LOG_LEVELS), name: 'level' },
    message: { ...types.longText, name: 'message' },
    fields: { ...types.longText, name: 'fields', nullable: true },
    dropped: { ...types.count, name: 'dropped', default: 0 },
  },
}));
