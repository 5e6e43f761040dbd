import { defineTable } from './table.js';

/** One row of `tq_group`: a group of jobs and its callbacks. */
export class TableQueueGroup {
  readonly id!: string;
  /** The number of its members. */
  readonly jobs!: number;
  /** The callback that runs when all members have succeeded; null if there is none. */
  readonly onSuccess!: string | null;
  /** The callback that runs when the first member has failed, has expired or was cancelled; null if there is none. */
  readonly onFailure!: string | null;
  /** The callback that runs when all members have finished; null if there is none. */
  readonly onComplete!: string | null;
  /** The durable job that waits for its members; null for other groups. */
  readonly parent!: string | null;
  readonly createdAt!: number;
  /** When its callbacks were triggered for the first member that did not succeed; null before. */
  readonly failedAt!: number | null;
  /** When its callbacks were triggered because all members have finished; null before. */
  readonly finishedAt!: number | null;
}

export const groupTable = defineTable(TableQueueGroup, 'group', (types) => ({
  columns: {
    id: { ...types.id, name: 'id', primary: true },
    jobs: { ...types.count, name: 'jobs' },
    onSuccess: { ...types.id, name: 'on_success', nullable: true },
    onFailure: { ...types.id, name: 'on_failure', nullable: true },
    onComplete: { ...types.id, name: 'on_complete', nullable: true },
    parent: { ...types.id, name: 'parent', nullable: true },
    createdAt: { ...types.time, name: 'created_at' },
    failedAt: { ...types.time, name: 'failed_at', nullable: true },
    finishedAt: { ...types.time, name: 'finished_at', nullable: true },
  },
  indices: { finished: ['finishedAt', 'id'] },
}));
