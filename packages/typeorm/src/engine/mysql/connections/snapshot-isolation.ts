import type { Send } from '../../run-operation.js';
import { sql } from '../../sql.js';
import { hasSnapshotIsolation } from '../server/server-version.js';

const WITHOUT = sql`SET STATEMENT innodb_snapshot_isolation = OFF FOR `;
const TAKES_LOCKS = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/;

/**
 * Sends statements of a transaction so that MariaDB's `innodb_snapshot_isolation`, the default from 11.6.2 on, does not
 * apply to them. With it, a statement at REPEATABLE READ that locks a row changed since the transaction's first read
 * fails, and the server rolls back the whole transaction. The queue's statements check what they lock. See
 * docs/decisions/0100.
 *
 * @param version of the server, once it is known.
 */
export function withoutSnapshotIsolation(send: Send, version: string | undefined): Send {
  if (!hasSnapshotIsolation(version)) {
    return send;
  }
  return (statement) => {
    // A recurring INSERT of new jobs locks no row that others can have changed, and may be prepared.
    const isExempt = statement.recurs || !TAKES_LOCKS.test(statement.sql);
    return send(isExempt ? statement : sql.prefix(statement, WITHOUT));
  };
}
