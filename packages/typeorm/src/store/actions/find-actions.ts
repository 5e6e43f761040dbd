import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/** What somebody has done by hand, as it was noted. */
export interface AuditEntry {
  readonly id: string;
  /** By the database's clock. */
  readonly doneAt: Date;
  /** Undefined where nobody knows. */
  readonly who: string | undefined;
  readonly action: string;
  /** `job <id>`, `jobs`, `queue <name>` or `schedule <name>`. */
  readonly target: string;
  /** The filter, the ids, the priority or the limits it was called with. */
  readonly detail: unknown;
  /** How many it has changed. */
  readonly changed: number;
  /** How many it has left as they were: they were not, or no longer, in a state it applies to. */
  readonly skipped: number;
}

/** A place among the notes, which stand in the order of time. */
export interface AuditCursor {
  readonly doneAt: number;
  readonly id: Buffer;
}

/** The next notes before a place, the newest first. Index: that by time, backward. Locks nothing. */
export function* findActions(
  { tables, byAuditTime }: Dialect,
  before: AuditCursor,
  limit: number,
): Operation<AuditEntry[]> {
  const rows = yield* select(
    `SELECT id, done_at, who, action, target, detail, changed, skipped FROM ${tables.audit} ${byAuditTime}
     WHERE done_at <= ? AND ((done_at = ? AND id < ?) OR done_at < ?)
     ORDER BY done_at DESC, id DESC LIMIT ${Math.trunc(limit)}`,
    [before.doneAt, before.doneAt, before.id, before.doneAt],
  );
  return rows.map((row) => ({
    id: uuidFromBytes(row.id as Buffer),
    doneAt: new Date(Number(row.done_at)),
    who: (row.who as string | null) ?? undefined,
    action: row.action as string,
    target: row.target as string,
    detail: row.detail === null ? undefined : (JSON.parse(row.detail as string) as unknown),
    changed: Number(row.changed),
    skipped: Number(row.skipped),
  }));
}
