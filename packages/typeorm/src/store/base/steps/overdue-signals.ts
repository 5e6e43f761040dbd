import type { Dialect } from '../../../engine/dialect.js';
import { type Fragment, sql } from '../../../engine/sql.js';
import { SIGNAL_STAGE } from '../../../tables/signal.js';

/** After how long the reaper wakes up the job of a signal, in ms. */
const OVERDUE_AFTER = 5_000;

/**
 * A condition: signals whose job may wait for them and not be awake. On a cluster a process on one node can look for a
 * wait while a worker on another stores it, so those that were offered are among them. See docs/decisions/0131.
 */
export function mayBeUnheard({ isOneOfMany }: Dialect): Fragment {
  return isOneOfMany ? sql`stage < ${SIGNAL_STAGE.taken}` : sql`stage = ${SIGNAL_STAGE.new}`;
}

/**
 * A condition: such signals, after their processes had time to wake up the jobs. Those that were sent while the clock
 * was ahead are among them. Index: ranges of the signals by stage.
 */
export function isOverdue(dialect: Dialect): Fragment {
  const { now } = dialect;
  return sql`${mayBeUnheard(dialect)} AND (sent_at <= ${now} - ${OVERDUE_AFTER} OR sent_at > ${now})`;
}
