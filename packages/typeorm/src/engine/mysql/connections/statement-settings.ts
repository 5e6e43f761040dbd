import type { Send } from '../../run-operation.js';
import { type Fragment, sql } from '../../sql.js';

const NO_ISOLATION = sql`innodb_snapshot_isolation = OFF`;
const ANY_UPDATES = sql`sql_safe_updates = 0`;
const TAKES_LOCKS = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/;
const MAY_JOIN = /^\s*(?:UPDATE|DELETE)\b/;

/**
 * Sends statements without settings of MariaDB that would make them fail.
 *
 * @param isolatesSnapshots whether it is in a transaction with `innodb_snapshot_isolation`, the default from 11.6.2 on.
 *   A statement at REPEATABLE READ that locks a row changed since the transaction's first read would fail, and the
 *   server roll back the whole transaction. The queue's statements check what they lock. See docs/decisions/0100.
 * @param refusesJoins whether `sql_safe_updates` is on, which refuses changes that name their rows by a join.
 */
export function withStatementSettings(send: Send, isolatesSnapshots: boolean, refusesJoins: boolean): Send {
  if (!isolatesSnapshots && !refusesJoins) {
    return send;
  }
  const other = isolatesSnapshots ? setFor(NO_ISOLATION) : undefined;
  const joining = refusesJoins ? setFor(isolatesSnapshots ? sql`${NO_ISOLATION}, ${ANY_UPDATES}` : ANY_UPDATES) : other;
  return (statement) => {
    // A recurring INSERT of new jobs locks no row that others can have changed, and may be prepared.
    const isExempt = statement.recurs || !TAKES_LOCKS.test(statement.sql);
    const prefix = isExempt ? undefined : MAY_JOIN.test(statement.sql) ? joining : other;
    return send(prefix ? sql.prefix(statement, prefix) : statement);
  };
}

function setFor(settings: Fragment): Fragment {
  return sql`SET STATEMENT ${settings} FOR `;
}
