import type { Outcome } from './job.js';
import { defineTable } from './table.js';

/** The outcome of a member of a group; `open` while it is unfinished. */
export type MemberOutcome = 'open' | Outcome;

const OUTCOME_LENGTH = 16;

/**
 * One row of `tq_member`: a job that is a member of a group.
 *
 * A finished job changes its own row and no counter, which all members would lock. The outcome is part of the primary
 * key, so one index lookup finds whether any member is open, or has failed. See docs/decisions/0036.
 */
export class TableQueueMember {
  readonly groupId!: string;
  readonly outcome!: MemberOutcome;
  readonly jobId!: string;
}

export const memberTable = defineTable(TableQueueMember, 'member', (types) => ({
  columns: {
    groupId: { ...types.id, name: 'group_id', primary: true },
    // No ENUM: MariaDB does not treat it as a constant in ORDER BY, and would sort instead of using the index.
    outcome: { ...types.name(OUTCOME_LENGTH), name: 'outcome', primary: true },
    jobId: { ...types.id, name: 'job_id', primary: true },
  },
}));
