import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { LATE_ALERT } from './advance-alerts.js';

/**
 * Stores that the alert about late messages was sent. Safe to repeat. Index and lock: the primary key; a row that an
 * evaluation has deleted meanwhile is not there.
 */
export function* markLateAlertSent({ tables, now }: Dialect): Operation<void> {
  const { rule, kind } = LATE_ALERT;
  yield* change(
    sql`UPDATE ${tables.alert} SET opened_at = ${now} WHERE rule = ${rule} AND kind = ${kind} AND opened_at IS NULL`,
  );
}
