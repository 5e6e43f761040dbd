import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { BulkCursor, BulkRow } from './bulk-row.js';

/** A bulk operation that begins. */
export interface NewOperation extends Pick<
  BulkRow,
  'id' | 'action' | 'filter' | 'priority' | 'targetQueue' | 'who' | 'total'
> {
  readonly cursor: BulkCursor;
}

/** Stores a bulk operation that begins now. A second run changes nothing. */
export function* insertOperation({ tables, insertIgnore, now }: Dialect, operation: NewOperation): Operation<void> {
  const { id, action, filter, priority, targetQueue, who, total, cursor } = operation;
  yield* change(
    sql`${insertIgnore} ${tables.bulkOperation}
          (id, action, filter, priority, target_queue, who, state, total, cursor_at, cursor_id, started_at)
        VALUES (${id}, ${action}, ${filter}, ${priority}, ${targetQueue}, ${who}, 'running', ${total}, ${cursor.at},
                ${cursor.id}, ${now})`,
  );
}
