import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** A manual action to record in the audit log. */
export interface ActionRecord {
  /** The same for everything that one call does, also over several transactions. */
  readonly id: Buffer;
  readonly who: string | null;
  readonly action: string;
  readonly target: string;
  /** JSON text. */
  readonly detail: string | null;
}

/** How many jobs, queues, schedules, workers or errors an action changed, and how many it did not. */
export interface ActionCounts {
  readonly changed: number;
  readonly skipped: number;
}

/**
 * Records an action, or adds to its earlier record. Part of the transaction that does the action, so the record exists
 * exactly if the action was committed. See docs/decisions/0073.
 *
 * Index and lock: the primary key of a row that no other transaction writes. A second run of the whole transaction adds
 * only to `skipped`, because it has nothing to change.
 */
export function* recordAction(
  dialect: Dialect,
  { id, who, action, target, detail }: ActionRecord,
  { changed, skipped }: ActionCounts,
): Operation<void> {
  yield* change(
    sql`INSERT INTO ${dialect.tables.audit} (id, done_at, who, action, target, detail, changed, skipped)
        VALUES (${id}, ${dialect.now}, ${who}, ${action}, ${target}, ${detail}, ${changed}, ${skipped})
        ${dialect.onConflictUpdate(sql`id`)} changed = changed + ${changed}, skipped = skipped + ${skipped}`,
  );
}
