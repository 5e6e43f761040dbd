import { isDeepStrictEqual } from 'node:util';

import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { DatabaseBusyError } from '../../errors/index.js';
import { withShortLockWait } from '../../store/history/alter-days.js';
import { type HistoryDay, type HistoryDays, readDays } from '../../store/history/history-days.js';
import type { HistoryTable } from '../../tables/table-names.js';

/** Reads the days of the history; undefined if it has no day partitions. */
export async function findDays(engine: Engine): Promise<HistoryDays | undefined> {
  const table = engine.dialect.partitionable;
  return table && executeRead(engine, 'read the days of the history', () => readDays(table));
}

/**
 * Changes the days, unless the change has to wait for other transactions.
 *
 * @param known the days as they were read.
 * @returns false if it was not done: an open transaction uses the history, or another process changed the days.
 */
export async function alterHistory(
  engine: Engine,
  known: readonly HistoryDay[] | undefined,
  operation: (table: HistoryTable) => Operation<void>,
): Promise<boolean> {
  try {
    // Not repeated: every statement on the history waits behind this one, and would wait again.
    const options = { purpose: 'change the days of the history', repeatable: false };
    await engine.execute(({ tables }) => withShortLockWait(operation(tables.historyTable)), options);
    return true;
  } catch (error) {
    if (error instanceof DatabaseBusyError || !isDeepStrictEqual((await findDays(engine))?.days, known)) {
      return false;
    }
    throw error;
  }
}
