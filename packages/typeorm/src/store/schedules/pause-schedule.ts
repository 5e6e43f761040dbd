import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';

/**
 * Pauses a schedule; one that is paused keeps the time of its pause. Index and lock: the primary key.
 *
 * @returns whether the schedule exists.
 */
export function* pauseSchedule({ tables, now }: Dialect, name: string): Operation<boolean> {
  const found = yield* change(
    sql`UPDATE ${tables.schedule}
        SET paused_at = COALESCE(paused_at, ${now}), next_fire_at = NULL, revision = revision + 1
        WHERE name = ${name}`,
  );
  return found === 1;
}
