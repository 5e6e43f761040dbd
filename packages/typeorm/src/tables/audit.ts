import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** How many characters the columns have. */
export const AUDIT_LENGTH = { who: 191, action: 32, target: 191 } as const;

/** One row of `tq_audit`: what somebody has done to jobs, queues or schedules by hand. */
export class TableQueueAudit {
  readonly id!: string;
  readonly doneAt!: number;
  /** Null where nobody knows. */
  readonly who!: string | null;
  readonly action!: string;
  /** What it was done to: `job <id>`, `jobs`, `queue <name>` or `schedule <name>`. */
  readonly target!: string;
  /** Anything else about it, as JSON text. */
  readonly detail!: string | null;
  /** How many it has changed, and left as they were. */
  readonly changed!: number;
  readonly skipped!: number;
}

/** The schema of `tq_audit`. */
export function auditSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueAudit> {
  const types = columnTypes[databaseType];
  const tableName = `${prefix}audit`;
  return new EntitySchema<TableQueueAudit>({
    name: TableQueueAudit.name,
    target: TableQueueAudit,
    tableName,
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
    indices: [{ name: `${tableName}_time`, columns: ['doneAt', 'id'] }],
  });
}
