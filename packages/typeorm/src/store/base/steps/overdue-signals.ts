import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { SIGNAL_STAGE } from '../../../tables/signal.js';

/** After how long the reaper wakes up the job of a signal, in ms. */
const OVERDUE_AFTER = 5_000;

/**
 * A condition: signals whose process may have died before it woke up their jobs. Those that were sent while the clock
 * was ahead are among them. Index: two ranges of the signals by stage.
 */
export function isOverdue({ now }: Dialect): Fragment {
  return sql`stage = ${SIGNAL_STAGE.new} AND (sent_at <= ${now} - ${OVERDUE_AFTER} OR sent_at > ${now})`;
}
