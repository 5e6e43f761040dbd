import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';

/** Whether a task is due, or has no row yet. */
export type TaskState = 'due' | 'later' | 'missing';

/**
 * Reads whether a task is due. Locks nothing, so processes that ask too early do not delay the leader.
 *
 * @param interval in ms.
 */
export function* readTask(dialect: Dialect, task: string, interval: number): Operation<TaskState> {
  const [row] = yield* select<{ is_due: number | string }>(
    sql`SELECT ${isDue(dialect, interval)} AS is_due FROM ${dialect.tables.maintenance} WHERE task = ${task}`,
  );
  return row === undefined ? 'missing' : Number(row.is_due) === 1 ? 'due' : 'later';
}

/** Creates the row of a task unless it exists. */
export function* insertTask(dialect: Dialect, task: string): Operation<void> {
  yield* change(sql`${dialect.insertIgnore} ${dialect.tables.maintenance} (task, next_run_at) VALUES (${task}, 0)`);
}

/**
 * Makes this process the leader of a task, for a part of an interval, if the task is due. Of all processes that ask,
 * one becomes leader. If the leader dies, the task is due again an interval later, and the next leader finds the
 * unfinished work.
 *
 * Index and lock: the primary key. See docs/decisions/0045.
 *
 * @param interval in ms.
 * @param term for how long it is the leader, in ms.
 */
export function* becomeLeader(dialect: Dialect, task: string, interval: number, term: number): Operation<boolean> {
  const changed = yield* change(
    sql`UPDATE ${dialect.tables.maintenance} SET next_run_at = ${dialect.now} + ${Math.round(term)}
        WHERE task = ${task} AND ${isDue(dialect, interval)}`,
  );
  return changed === 1;
}

/**
 * A time that no interval allows was stored while the clock was ahead: the task is due. Twice the interval, because the
 * nodes of a cluster have clocks of their own.
 */
function isDue({ now }: Dialect, interval: number): Fragment {
  return sql`(next_run_at <= ${now} OR next_run_at > ${now} + ${2 * interval})`;
}
