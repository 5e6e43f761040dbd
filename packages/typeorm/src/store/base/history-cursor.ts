import type { Parameter } from '../../engine/operation.js';

/**
 * A row of the history by its whole primary key, also where that is in day partitions. Statements that lock name rows
 * so: by the id alone they would look into every day, and at REPEATABLE READ lock a gap in each, where jobs that end
 * would wait.
 */
export interface HistoryCursor {
  readonly id: Buffer;
  /** In ms; as the row has it. */
  readonly finishedAt: number;
}

/** A row of the history as drivers return it, with what places it. */
export interface HistoryKeyRow {
  readonly id: Buffer;
  readonly finished_at: number | string;
}

/** The place of a row. */
export function historyCursorOf({ id, finished_at: finishedAt }: HistoryKeyRow): HistoryCursor {
  return { id, finishedAt: Number(finishedAt) };
}

/** The values of `Dialect.atPlaces` and of the statements that delete by place. */
export function cursorValues(places: readonly HistoryCursor[]): Parameter[] {
  return places.flatMap(({ id, finishedAt }) => [id, finishedAt]);
}
