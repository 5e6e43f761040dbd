import { forEachBatch, repeatUntilDone, runAll } from '../../async/batches.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import { pruneOperations } from '../../store/bulk/prune-operations.js';
import { readClock } from '../../store/base/read-clock.js';
import { pruneActions, pruneThroughput } from '../../store/finished/prune-records.js';
import { FIRST_RATE_LANE, type RateLane, pruneTenantRates } from '../../store/finished/prune-tenant-rates.js';
import { MaintenanceService } from '../maintenance-service.js';
import { pruneFinished } from './prune-finished.js';
import { repairRows } from './repair-rows.js';
import { type ResolvedRetention, type RetentionOptions, resolveAuditAge, resolveRetention } from './retention.js';

/** What one run of the pruner did. */
export interface PrunerResult {
  /** How many finished jobs were deleted. */
  readonly deleted: number;
}

/**
 * Deletes finished jobs and groups beyond their retention, deletes unused rates of tenants, and repairs rows of unique
 * keys and groups.
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
   * Deletes in batches that commit separately.
   *
   * @param signal stops the run between two batches.
   * @throws an AggregateError if several steps fail.
   */
  override async runOnce(signal?: AbortSignal): Promise<PrunerResult> {
    let deleted = 0;
    await runAll(
      async () => (deleted = await pruneFinished(this.engine, this.retention, signal)),
      () => pruneRecords(this.engine, this.auditAge, signal),
      () => pruneRates(this.engine, signal),
      () => repairRows(this.engine, this.logger, signal),
    );
    return { deleted };
  }
}

/** Deletes tenants that have all tokens of their rate. Each batch commits separately. */
function pruneRates(engine: Engine, signal?: AbortSignal): Promise<void> {
  const step = (after: RateLane) =>
    engine.execute((dialect) => pruneTenantRates(dialect, after), { purpose: 'prune rates of tenants', atomic: true });
  return forEachBatch(FIRST_RATE_LANE, step, signal);
}

/** How long the throughput by the minute is kept, in ms: it compares a day with the day before. */
const THROUGHPUT_AGE = 49 * 3_600_000;

/**
 * Deletes old throughput, old entries of the audit log, and bulk operations that ended as long ago.
 *
 * @param auditAge how long entries of the audit log are kept, in ms; null keeps them all.
 */
async function pruneRecords(engine: Engine, auditAge: number | null, signal?: AbortSignal): Promise<void> {
  const purpose = 'prune records';
  const now = await executeRead(engine, purpose, readClock);
  await engine.execute((dialect) => pruneThroughput(dialect, now - THROUGHPUT_AGE), { purpose });
  if (auditAge === null) {
    return;
  }
  await repeatUntilDone(
    () => engine.execute((dialect) => pruneActions(dialect, now - auditAge), { purpose, atomic: true }),
    signal,
  );
  await engine.execute((dialect) => pruneOperations(dialect, now - auditAge), { purpose });
}
