import { type Row, select, type Operation } from '../../engine/operation.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { BulkState } from '../../tables/bulk-operation.js';

/** The position of the last job that an operation has reached: see `BrowseCursor`. */
export interface BulkCursor {
  readonly at: number;
  readonly id: Buffer;
}

/** A bulk operation as it is stored. Times in ms. */
export interface BulkRow {
  readonly id: Buffer;
  readonly action: string;
  /** JSON text. */
  readonly filter: string;
  readonly priority: number | null;
  readonly targetQueue: string | null;
  readonly who: string | null;
  readonly state: BulkState;
  readonly total: number | null;
  readonly isCapped: boolean;
  readonly changed: number;
  readonly skipped: number;
  readonly cursor: BulkCursor;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  /** The time since a process worked on it, in ms. */
  readonly idle: number;
}

/** Reads rows of bulk operations. @param which the rest of the statement, from WHERE on. */
export function* selectBulkRows({ tables, now }: Dialect, which: Fragment): Operation<BulkRow[]> {
  const rows = yield* select(
    sql`SELECT id, action, filter, priority, target_queue, who, state, total, is_capped, changed, skipped, cursor_at,
               cursor_id, started_at, finished_at, ${now} - advanced_at AS idle
        FROM ${tables.bulkOperation} ${which}`,
  );
  return rows.map(toBulkRow);
}

function toBulkRow(row: Row): BulkRow {
  const numberOrNull = (value: unknown) => (value === null ? null : Number(value));
  return {
    id: row.id as Buffer,
    action: row.action as string,
    filter: row.filter as string,
    priority: numberOrNull(row.priority),
    targetQueue: row.target_queue as string | null,
    who: row.who as string | null,
    state: row.state as BulkState,
    total: numberOrNull(row.total),
    isCapped: Number(row.is_capped) === 1,
    changed: Number(row.changed),
    skipped: Number(row.skipped),
    cursor: { at: Number(row.cursor_at), id: row.cursor_id as Buffer },
    startedAt: Number(row.started_at),
    finishedAt: numberOrNull(row.finished_at),
    idle: Number(row.idle),
  };
}
