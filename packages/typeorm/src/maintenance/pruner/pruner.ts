import { runAll } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { MaintenanceService } from '../maintenance-service.js';
import { createDaysAhead } from './create-days-ahead.js';
import { pruneHistory } from './prune-history.js';
import { pruneRecords } from './prune-records.js';
import { type ResolvedRetention, type RetentionOptions, resolveAuditAge, resolveRetention } from './retention.js';

/** What one run of the pruner did. */
export interface PrunerResult {
  /** How many finished jobs were deleted. */
  readonly deleted: number;
}

/** Deletes finished jobs and groups beyond their retention; in day partitions it drops whole days. */
export class Pruner extends MaintenanceService<PrunerResult> {
  readonly task = 'pruner';
  private readonly retention: ResolvedRetention;
  private readonly auditAge: number | null;

  /**
   * @param engine the engine of a worker, or of a queue.
   * @param retention how long finished jobs are kept; false keeps everything.
   * @throws InvalidOptionError, UnknownOptionError
   */
  constructor(engine: Engine, retention?: RetentionOptions | false) {
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
    );
    return { deleted };
  }
}
