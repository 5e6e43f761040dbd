import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { storedValue } from '../base/jobs/stored-value.js';
import { sql } from '../../engine/sql.js';

/** A manual action on jobs, queues, schedules, workers or errors, from the audit log. */
export interface AuditEntry {
  readonly id: string;
  /** When it was done, by the database's clock. */
  readonly doneAt: Date;
  /** Who did it; undefined if `by` was not given. */
  readonly who: string | undefined;
  readonly action: string;
  /** `job <id>`, `jobs`, `bulk <id>`, `queue <name>`, `schedule <name>`, `worker <id>` or `error <fingerprint>`. */
  readonly target: string;
  /** The filter, the ids, the priority, the limits or the duration that were given. */
  readonly detail: unknown;
  /** How many jobs, queues, schedules, workers or errors it changed. */
  readonly changed: number;
  /** How many it did not change, because it does not apply to their state. */
  readonly skipped: number;
}

/** A position in the audit log, ordered by time and id. */
export interface AuditCursor {
  readonly doneAt: number;
  readonly id: Buffer;
}

/** Which entries to read: those that match every value that is not undefined. */
export interface AuditFilter {
  readonly action?: string | undefined;
  readonly who?: string | undefined;
}

/**
 * Reads the next entries before a position, the newest first. Index: the entries by time, backward, past those that do
 * not match: people make few. Locks nothing.
 */
export function* findActions(
  { tables, byAuditTime }: Dialect,
  before: AuditCursor,
  limit: number,
  { action, who }: AuditFilter = {},
): Operation<AuditEntry[]> {
  const { doneAt, id } = before;
  const isAction = action === undefined ? sql.empty : sql`AND action = ${action}`;
  const isOf = who === undefined ? sql.empty : sql`AND who = ${who}`;
  const rows = yield* select(
    sql`SELECT id, done_at, who, action, target, detail, changed, skipped FROM ${tables.audit} ${byAuditTime}
        WHERE done_at <= ${doneAt} AND ((done_at = ${doneAt} AND id < ${id}) OR done_at < ${doneAt}) ${isAction} ${isOf}
        ORDER BY done_at DESC, id DESC LIMIT ${sql.integer(limit)}`,
  );
  return rows.map((row) => ({
    id: uuidFromBytes(row.id as Buffer),
    doneAt: new Date(Number(row.done_at)),
    who: (row.who as string | null) ?? undefined,
    action: row.action as string,
    target: row.target as string,
    detail: storedValue(row.detail),
    changed: Number(row.changed),
    skipped: Number(row.skipped),
  }));
}
