import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { assertTextsFit } from '../base/chunks.js';
import { type ScheduleDefinition, columnsOf } from './schedule-row.js';

/** Stores a schedule; returns false if one with its name exists. Locks its row. */
export function* insertSchedule(
  dialect: Dialect,
  definition: ScheduleDefinition,
  nextFireAt: number | null,
): Operation<boolean> {
  assertTextsFit(dialect, [definition.payload]);
  const { tables, insertIgnore } = dialect;
  const values = columnsOf({ ...definition, nextFireAt });
  const inserted = yield* change(
    sql`${insertIgnore} ${tables.schedule} (${sql.join(values.map(({ column }) => column))})
        VALUES (${sql.list(values.map(({ value }) => value))})`,
  );
  return inserted === 1;
}
