import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';

/** Makes sure a task is known, so that turns can be taken at it. */
export function* ensureTask(dialect: Dialect, task: string): Operation<void> {
  yield* change(`${dialect.insertIgnore} ${dialect.tables.maintenance} (task, next_run_at) VALUES (?, 0)`, [task]);
}

/** Whether a task is due. Only reads: processes that come too early leave no trace. */
export function* isTaskDue(dialect: Dialect, task: string): Operation<boolean> {
  const rows = yield* select(
    `SELECT 1 FROM ${dialect.tables.maintenance} WHERE task = ? AND next_run_at <= ${dialect.now}`,
    [task],
  );
  return rows.length > 0;
}

/**
 * Takes the turn at a task if it is due. However many processes ask, one gets it in each interval; if that one dies the
 * task is due again an interval later, and the work it left is found again.
 *
 * A row instead of a lock that is held: it needs no connection of its own and works where named locks do not.
 */
export function* becomeLeader(dialect: Dialect, task: string, interval: number): Operation<boolean> {
  const taken = yield* change(
    `UPDATE ${dialect.tables.maintenance} SET next_run_at = ${dialect.now} + ?
     WHERE task = ? AND next_run_at <= ${dialect.now}`,
    [Math.round(interval), task],
  );
  return taken === 1;
}
