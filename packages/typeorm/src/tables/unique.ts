import { NAME_LENGTH } from '../definition/names.js';
import { UNIQUE_SPANS, type UniqueSpan } from '../definition/unique-span.js';
import { defineTable } from './table.js';

/**
 * One row of `tq_unique`: a unique key and the job that holds it. The primary key makes it unique.
 *
 * A table of its own, so that jobs without a unique key do not pay for it: see `TableQueueKey`.
 */
export class TableQueueUnique {
  /** The name of the job's definition: keys of different definitions do not conflict. */
  readonly name!: string;
  readonly key!: string;
  readonly jobId!: string;
  /** Changes to `window` when the job frees a key whose window has not ended. */
  readonly lasts!: UniqueSpan;
  /** The end of its window, until which it stays taken; null without a window. */
  readonly windowUntil!: number | null;
}

export const uniqueTable = defineTable(TableQueueUnique, 'unique', (types) => ({
  columns: {
    name: { ...types.name(NAME_LENGTH.job), name: 'name', primary: true },
    key: { ...types.text(NAME_LENGTH.key), name: 'unique_key', primary: true },
    jobId: { ...types.id, name: 'job_id' },
    lasts: { ...types.oneOf(UNIQUE_SPANS), name: 'lasts' },
    windowUntil: { ...types.time, name: 'window_until', nullable: true },
  },
  indices: { window: ['lasts', 'windowUntil'] },
}));
