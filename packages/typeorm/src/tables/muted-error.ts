import { defineTable } from './table.js';

/** One row of `tq_muted_error`: an error that lists of failed jobs show apart until a time. */
export class TableQueueMutedError {
  /** The hash of its title: see `identifyError`. */
  readonly fingerprint!: string;
  readonly mutedUntil!: number;
}

export const mutedErrorTable = defineTable(TableQueueMutedError, 'muted_error', (types) => ({
  columns: {
    fingerprint: { ...types.name(16), name: 'fingerprint', primary: true },
    mutedUntil: { ...types.time, name: 'muted_until' },
  },
}));
