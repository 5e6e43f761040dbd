import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_group`: jobs that others wait for, and those others, its callbacks. */
export class TableQueueGroup {
  readonly id!: string;
  /** How many members it has. */
  readonly jobs!: number;
  /** The callback that runs when all members have succeeded; null where there is none. */
  readonly onSuccess!: string | null;
  /** The callback that runs when the first member has failed or was cancelled. */
  readonly onFailure!: string | null;
  /** The callback that runs when all members have ended. */
  readonly onComplete!: string | null;
  readonly createdAt!: number;
  /** When its callbacks were told of the first member that did not succeed; null as long as all do. */
  readonly failedAt!: number | null;
  /** When its callbacks were told that all members have ended; null before. */
  readonly finishedAt!: number | null;
}

/** The schema of `tq_group`. */
export function groupSchema(databaseType: QueueDatabaseType, prefix: string): EntitySchema<TableQueueGroup> {
  const types = columnTypes[databaseType];
  const tableName = `${prefix}group`;
  return new EntitySchema<TableQueueGroup>({
    name: TableQueueGroup.name,
    target: TableQueueGroup,
    tableName,
    columns: {
      id: { ...types.id, name: 'id', primary: true },
      jobs: { ...types.count, name: 'jobs' },
      onSuccess: { ...types.id, name: 'on_success', nullable: true },
      onFailure: { ...types.id, name: 'on_failure', nullable: true },
      onComplete: { ...types.id, name: 'on_complete', nullable: true },
      createdAt: { ...types.time, name: 'created_at' },
      failedAt: { ...types.time, name: 'failed_at', nullable: true },
      finishedAt: { ...types.time, name: 'finished_at', nullable: true },
    },
    indices: [{ name: `${tableName}_finished`, columns: ['finishedAt', 'id'] }],
  });
}
