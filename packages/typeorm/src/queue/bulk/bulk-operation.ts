import { uuidFromBytes } from '../../definition/job-id.js';
import type { ActionRecord } from '../../store/actions/record-action.js';
import type { BulkRow } from '../../store/bulk/bulk-row.js';
import type { BulkState } from '../../tables/bulk-operation.js';
import type { BulkAction } from '../jobs/act-on-jobs.js';
import type { JobFilter } from '../jobs/job-filter.js';

/** A bulk operation: an action on all jobs that matched when it began. */
export interface BulkOperation {
  readonly id: string;
  readonly action: BulkAction;
  /** The filter; undefined with `ids`. */
  readonly filter: JobFilter | undefined;
  /** The jobs; undefined with a filter. */
  readonly ids: readonly string[] | undefined;
  /** The new priority of `priority`. */
  readonly priority: number | undefined;
  /** The new queue of `move`. */
  readonly to: string | undefined;
  /** Who began it; undefined if unknown. */
  readonly by: string | undefined;
  /** `running`, also while no process works on it; `done`; or `stopped`, by a call of `stop`. */
  readonly state: BulkState;
  /** How many jobs matched; undefined until they are counted. */
  readonly total: number | undefined;
  /** Whether more than `total` match. */
  readonly isCapped: boolean;
  /** How many jobs it has changed. */
  readonly changed: number;
  /**
   * How many matched and were not changed: they went on before it reached them, a transaction has locked them, or for a
   * retry another job has their unique key.
   */
  readonly skipped: number;
  /** When it began, by the database's clock. It changes only jobs that matched then. */
  readonly startedAt: Date;
  /** When it was done or stopped; undefined before. */
  readonly finishedAt: Date | undefined;
}

/** What the row of an operation stores as its filter. */
export type StoredFilter = JobFilter | { readonly ids: readonly string[] };

export function storedFilterOf({ filter }: Pick<BulkRow, 'filter'>): StoredFilter {
  const stored = JSON.parse(filter) as Record<string, unknown>;
  for (const time of ['from', 'before']) {
    if (stored[time] !== undefined) {
      stored[time] = new Date(stored[time] as string);
    }
  }
  return stored as unknown as StoredFilter;
}

export function toBulkOperation(row: BulkRow): BulkOperation {
  const stored = storedFilterOf(row);
  const { state, isCapped, changed, skipped } = row;
  return {
    id: uuidFromBytes(row.id),
    action: row.action as BulkAction,
    filter: 'ids' in stored ? undefined : stored,
    ids: 'ids' in stored ? stored.ids : undefined,
    priority: row.priority ?? undefined,
    to: row.targetQueue ?? undefined,
    by: row.who ?? undefined,
    state,
    total: row.total ?? undefined,
    isCapped,
    changed,
    skipped,
    startedAt: new Date(row.startedAt),
    finishedAt: row.finishedAt === null ? undefined : new Date(row.finishedAt),
  };
}

/** The one record of an operation in the audit log. It has the id of the operation. */
export function bulkRecordOf(
  row: Pick<BulkRow, 'id' | 'action' | 'filter' | 'priority' | 'targetQueue' | 'who'>,
): ActionRecord {
  const { id, action, filter, priority, targetQueue, who } = row;
  const stored = JSON.parse(filter) as object;
  const detail = {
    bulk: true,
    ...('ids' in stored ? stored : { filter: stored }),
    ...(priority !== null && { priority }),
    ...(targetQueue !== null && { to: targetQueue }),
  };
  return { id, who, action, target: 'jobs', detail: JSON.stringify(detail) };
}
