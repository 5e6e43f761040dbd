import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';

/** The place of a job in its order. */
export interface Place {
  readonly place: number | string;
  readonly job_id: Buffer;
}

/** Deletes places. Part of a transaction. Index: the primary key. Locks nothing else. */
export function* deleteOrdered({ tables, deleteFrom }: Dialect, rows: readonly Place[]): Operation<void> {
  if (rows.length > 0) {
    const places = sql.list(rows.map(({ place }) => Number(place)));
    const ids = sql.list(rows.map(({ job_id: id }) => id));
    yield* change(sql`${deleteFrom(tables.ordered)} WHERE place IN (${places}) AND job_id IN (${ids})`);
  }
}
