import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { assertTextsFit } from '../base/chunks.js';
import { type ScheduleDefinition, type ScheduleProgress, type StoredSchedule, columnsOf } from './schedule-row.js';

/**
 * Changes a schedule if it is unchanged since it was read: compares the revision and increases it. If several processes
 * have read the same row, one of them changes it. Index and lock: the primary key.
 *
 * @returns whether it was changed.
 */
export function* changeSchedule(
  dialect: Dialect,
  { name, revision }: Pick<StoredSchedule, 'name' | 'revision'>,
  changes: Partial<ScheduleDefinition & ScheduleProgress>,
): Operation<boolean> {
  assertTextsFit(dialect, [changes.payload]);
  const { tables } = dialect;
  const assignments = columnsOf(changes).map(({ column, value }) => sql`${column} = ${value}`);
  const changed = yield* change(
    sql`UPDATE ${tables.schedule} SET ${sql.join([...assignments, sql`revision = revision + 1`])}
        WHERE name = ${name} AND revision = ${revision}`,
  );
  return changed === 1;
}
