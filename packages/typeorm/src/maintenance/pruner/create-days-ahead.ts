import type { Engine } from '../../engine/engine.js';
import { UnpartitionedHistoryError } from '../../errors/index.js';
import { readClock } from '../../store/base/read-clock.js';
import { DAYS_CREATED_AHEAD, addDays, daysToCreate, partitionByDay } from '../../store/history/alter-days.js';
import { findJobsOutsideDays } from '../../store/history/history-days.js';
import { alterHistory, findDays } from './alter-history.js';

const DAY = 24 * 60 * 60 * 1000;

/** The pruner moves no more jobs than this into new days: meanwhile no job can finish. */
const MOST_MOVED = 10_000;

const READ = { purpose: 'read the days of the history', readOnly: true };

/**
 * Creates the coming days, a week before they are needed. Partitions the history if the entities define day partitions
 * and `synchronize` could not create them. See docs/decisions/0054.
 *
 * @throws UnpartitionedHistoryError when too many jobs are outside all days.
 */
export async function createDaysAhead(engine: Engine): Promise<void> {
  const table = engine.dialect.partitionable;
  const existing = await findDays(engine);
  if (!table || !(existing || table.byDay)) {
    return;
  }
  const now = await engine.execute(readClock, READ);
  const end = existing?.end ?? 0;
  if (end >= now + (DAYS_CREATED_AHEAD / 2) * DAY) {
    return;
  }
  const { jobs, oldest } = await engine.execute(() => findJobsOutsideDays(table, end, MOST_MOVED + 1), READ);
  if (jobs > MOST_MOVED) {
    throw new UnpartitionedHistoryError(table.identifier.sql, MOST_MOVED);
  }
  const starts = daysToCreate(now, oldest, end);
  await alterHistory(engine, existing?.days, () =>
    existing ? addDays(table, existing, starts) : partitionByDay(table, starts),
  );
}
