import { defineTable } from './table.js';

/** The lengths of the columns, in characters. */
export const AUDIT_LENGTH = { who: 191, action: 32, target: 191 } as const;

/** One row of `tq_audit`: a manual action on jobs, queues, schedules, workers or errors. */
export class TableQueueAudit {
  readonly id!: string;
  readonly doneAt!: number;
  /** Who did it; null if unknown. */
  readonly who!: string | null;
  readonly action!: string;
  /** Its target: `job <id>`, `jobs`, `queue <name>`, `schedule <name>`, `worker <id>` or `error <fingerprint>`. */
  readonly target!: string;
  /** More details, as JSON text. */
  readonly detail!: string | null;
  /** How many jobs, queues, schedules, workers or errors it changed. */
  readonly changed!: number;
  /** How many it did not change. */
  readonly skipped!: number;
}

export const auditTable = defineTable(TableQueueAudit, 'audit', (types) => ({
  columns: {
    id: { ...types.id, name: 'id', primary: true },
    doneAt: { ...types.time, name: 'done_at' },
    who: { ...types.text(AUDIT_LENGTH.who), name: 'who', nullable: true },
    action: { ...types.name(AUDIT_LENGTH.action), name: 'action' },
    target: { ...types.text(AUDIT_LENGTH.target), name: 'target' },
    detail: { ...types.longText, name: 'detail', nullable: true },
    changed: { ...types.count, name: 'changed' },
    skipped: { ...types.count, name: 'skipped' },
  },
  indices: { time: ['doneAt', 'id'] },
}));
