import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** What is noted of an action. */
export interface ActionRecord {
  /** The same for all that one call does, in however many transactions. */
  readonly id: Buffer;
  readonly who: string | null;
  readonly action: string;
  readonly target: string;
  /** JSON text. */
  readonly detail: string | null;
}

/** How many an action has changed, and left as they were. */
export interface ActionCounts {
  readonly changed: number;
  readonly skipped: number;
}

/**
 * Notes an action, or adds to what was noted of it before. Part of the transaction that does what is noted, so the note
 * is there if and only if that has happened.
 *
 * Index and lock: the primary key of a row of its own, which nobody else writes. Where the whole transaction is done a
 * second time it has nothing to change any more, and counts that as skipped.
 */
export function* recordAction(
  dialect: Dialect,
  note: ActionRecord,
  { changed, skipped }: ActionCounts,
): Operation<void> {
  const { id, who, action, target, detail } = note;
  yield* change(
    `INSERT INTO ${dialect.tables.audit} (id, done_at, who, action, target, detail, changed, skipped)
     VALUES (?, ${dialect.now}, ?, ?, ?, ?, ?, ?)
     ${dialect.orChangeExisting(sql`id`)} changed = changed + ?, skipped = skipped + ?`,
    [id, who, action, target, detail, changed, skipped, changed, skipped],
  );
}
