import { repeatUntilDone, runAll } from '../../async/batches.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { UnpartitionedHistoryError } from '../../errors/index.js';
import type { QueueLogger } from '../../logger.js';
import { readClock } from '../../store/base/read-clock.js';
import { DAYS_CREATED_AHEAD, addDays, daysToCreate, partitionByDay } from '../../store/history/alter-days.js';
import { findJobsOutsideDays } from '../../store/history/history-days.js';
import { pruneActions, pruneThroughput } from '../../store/history/prune-records.js';
import { MaintenanceService } from '../maintenance-service.js';
import { alterHistory, findDays } from './alter-history.js';
import { pruneHistory } from './prune-history.js';
import { repairRows } from './repair-rows.js';
import { type ResolvedRetention, type RetentionOptions, resolveAuditAge, resolveRetention } from './retention.js';

/** What one run of the pruner did. */
export interface PrunerResult {
  /** How many finished jobs were deleted. */
  readonly deleted: number;
}

/**
 * Deletes finished jobs and groups beyond their retention; in day partitions it drops whole days. It also repairs rows of
 * unique keys and groups.
 */
export class Pruner extends MaintenanceService<PrunerResult> {
  readonly task = 'pruner';
  private readonly retention: ResolvedRetention;
  private readonly auditAge: number | null;

  /**
   * @param engine the engine of a worker, or of a queue.
   * @param retention how long finished jobs are kept; false keeps everything.
   * @param logger receives a warning if rows were repaired.
   * @throws InvalidOptionError, UnknownOptionError
   */
  constructor(
    engine: Engine,
    retention?: RetentionOptions | false,
    private readonly logger?: QueueLogger,
  ) {
    super(engine);
    this.retention = resolveRetention(retention);
    this.auditAge = resolveAuditAge(retention);
  }

  /**
   * Deletes in batches that commit separately. With day partitions it drops old days and creates the coming ones.
   *
   * @param signal stops the run between two batches.
   * @throws UnpartitionedHistoryError; an AggregateError if several steps fail.
   */
  override async runOnce(signal?: AbortSignal): Promise<PrunerResult> {
    let deleted = 0;
    // Missing days are the hardest to repair, so they are created even if pruning fails.
    await runAll(
      async () => (deleted = await pruneHistory(this.engine, this.retention, { waitsForDays: true, signal })),
      () => createDaysAhead(this.engine),
      () => pruneRecords(this.engine, this.auditAge, signal),
      () => repairRows(this.engine, this.logger, signal),
    );
    return { deleted };
  }
}

/** How long the throughput by the minute is kept, in ms: it compares a day with the day before. */
const THROUGHPUT_AGE = 49 * 3_600_000;

/**
 * Deletes old throughput, and old entries of the audit trail.
 *
 * @param auditAge how long entries of the audit trail are kept, in ms; null keeps them all.
 */
async function pruneRecords(engine: Engine, auditAge: number | null, signal?: AbortSignal): Promise<void> {
  const purpose = 'prune records';
  const now = await executeRead(engine, purpose, readClock);
  await engine.execute((dialect) => pruneThroughput(dialect, now - THROUGHPUT_AGE), { purpose });
  if (auditAge === null) {
    return;
  }
  await repeatUntilDone(async () => {
    const more = await engine.execute((dialect) => pruneActions(dialect, now - auditAge), { purpose, atomic: true });
    return more && !signal?.aborted;
  });
}

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
async function createDaysAhead(engine: Engine): Promise<void> {
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
