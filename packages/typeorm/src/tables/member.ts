import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';
import type { Outcome } from './history.js';

/** How a member of a group has ended; `open` while it has not. */
export type MemberOutcome = 'open' | Outcome;

const OUTCOME_LENGTH = 16;

/**
 * One row of `tq_member`: a job that is a member of a group.
 *
 * Ending a job changes its own row and no counter: a counter would be a row that all members of a group lock, for as
 * long as an application's transaction that cancels one of them lasts. The outcome is part of the primary key, so
 * whether any member is open, or has failed, is one dive into the index.
 */
export class TableQueueMember {
  readonly groupId!: string;
  readonly outcome!: MemberOutcome;
  readonly jobId!: string;
}

/** The schema of `tq_member`. */
export function memberSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueMember> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueMember>({
    name: TableQueueMember.name,
    target: TableQueueMember,
    tableName: `${prefix}member`,
    columns: {
      groupId: { ...types.id, name: 'group_id', primary: true },
      // No ENUM: MariaDB takes one for no constant in an ORDER BY, and sorts where the index is in order.
      outcome: { ...types.name(OUTCOME_LENGTH), name: 'outcome', primary: true },
      jobId: { ...types.id, name: 'job_id', primary: true },
    },
  });
}
