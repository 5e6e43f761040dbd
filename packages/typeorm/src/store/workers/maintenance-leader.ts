import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/** Creates the row of a task unless it exists. */
export function* ensureTask(dialect: Dialect, task: string): Operation<void> {
  yield* change(sql`${dialect.insertIgnore} ${dialect.tables.maintenance} (task, next_run_at) VALUES (${task}, 0)`);
}

/** Whether a task is due. Only reads, so processes that ask too early lock nothing. */
export function* isTaskDue(dialect: Dialect, task: string): Operation<boolean> {
  const rows = yield* select(
    sql`SELECT 1 FROM ${dialect.tables.maintenance} WHERE task = ${task} AND next_run_at <= ${dialect.now}`,
  );
  return rows.length > 0;
}

/**
 * Makes this process the leader of a task, for one interval, if the task is due. Of all processes that ask, one becomes
 * leader. If the leader dies, the task is due again an interval later, and the next leader finds the unfinished work.
 *
 * Index and lock: the primary key. See docs/decisions/0045.
 *
 * @param interval in ms.
 */
export function* becomeLeader(dialect: Dialect, task: string, interval: number): Operation<boolean> {
  const changed = yield* change(
    sql`UPDATE ${dialect.tables.maintenance} SET next_run_at = ${dialect.now} + ${Math.round(interval)}
        WHERE task = ${task} AND next_run_at <= ${dialect.now}`,
  );
  return changed === 1;
}
