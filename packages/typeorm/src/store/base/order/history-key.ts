import type { HistoryKey } from '../../../engine/dialect.js';

/** The columns of a row of the history that identify it. */
export interface HistoryKeyRow {
  readonly id: Buffer;
  readonly finished_at: number | string;
}

/** The whole primary key of a row. Locking statements need it: see docs/decisions/0053. */
export function historyKeyOf({ id, finished_at: finishedAt }: HistoryKeyRow): HistoryKey {
  return { id, finishedAt: Number(finishedAt) };
}
