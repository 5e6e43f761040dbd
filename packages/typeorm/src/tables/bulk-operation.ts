import { NAME_LENGTH } from '../definition/names.js';
import { AUDIT_LENGTH } from './audit.js';
import { defineTable } from './table.js';

/** The states of a bulk operation. */
export const BULK_STATES = ['running', 'done', 'stopped'] as const;

/** The state of a bulk operation. */
export type BulkState = (typeof BULK_STATES)[number];

/** One row of `tq_bulk_operation`: an action on all jobs that a filter matched when it began, and how far it is. */
export class TableQueueBulkOperation {
  readonly id!: string;
  readonly action!: string;
  /** The filter, or `{ ids }`, as JSON text. */
  readonly filter!: string;
  /** The new priority of `priority`; otherwise null. */
  readonly priority!: number | null;
  /** The new queue of `move`; otherwise null. */
  readonly targetQueue!: string | null;
  /** Who began it; null if unknown. */
  readonly who!: string | null;
  readonly state!: BulkState;
  /** How many jobs matched; null until they are counted. */
  readonly total!: number | null;
  /** 1 if there are more than `total`. */
  readonly isCapped!: number;
  readonly changed!: number;
  readonly skipped!: number;
  /** The position of the last job that it has reached, in the order of lists. */
  readonly cursorAt!: number;
  readonly cursorId!: string;
  /** It applies to what matched at this time. */
  readonly startedAt!: number;
  /** When a process last worked on it; 0 before the first one. */
  readonly advancedAt!: number;
  /** When it was done or stopped; null before. */
  readonly finishedAt!: number | null;
}

export const bulkOperationTable = defineTable(TableQueueBulkOperation, 'bulk_operation', (types) => ({
  columns: {
    id: { ...types.id, name: 'id', primary: true },
    action: { ...types.name(AUDIT_LENGTH.action), name: 'action' },
    filter: { ...types.longText, name: 'filter' },
    priority: { ...types.rank, name: 'priority', nullable: true },
    targetQueue: { ...types.name(NAME_LENGTH.queue), name: 'target_queue', nullable: true },
    who: { ...types.text(AUDIT_LENGTH.who), name: 'who', nullable: true },
    state: { ...types.oneOf(BULK_STATES), name: 'state' },
    total: { ...types.count, name: 'total', nullable: true },
    isCapped: { ...types.kind, name: 'is_capped', default: 0 },
    changed: { ...types.count, name: 'changed', default: 0 },
    skipped: { ...types.count, name: 'skipped', default: 0 },
    cursorAt: { ...types.time, name: 'cursor_at' },
    cursorId: { ...types.id, name: 'cursor_id' },
    startedAt: { ...types.time, name: 'started_at' },
    advancedAt: { ...types.time, name: 'advanced_at', default: 0 },
    finishedAt: { ...types.time, name: 'finished_at', nullable: true },
  },
  indices: { state: ['state', 'id'] },
}));
