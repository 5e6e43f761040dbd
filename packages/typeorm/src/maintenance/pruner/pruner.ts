import { runAll } from '../../async/batches.js';
import type { Engine } from '../../engine/engine.js';
import { createDaysAhead } from './history-days.js';
import { MaintenanceService } from '../maintenance-service.js';
import { pruneHistory } from './prune-history.js';
import { pruneRecords } from './prune-records.js';
import { type ResolvedRetention, type RetentionOptions, resolveAuditAge, resolveRetention } from './retention.js';

/** What one run of the pruner did. */
export interface PrunerResult {
  /** How many finished jobs were deleted. */
  readonly deleted: number;
}

/** Deletes finished jobs, and groups, that need not be kept any more; in day partitions whole days. */
export class Pruner extends MaintenanceService<PrunerResult> {
  readonly task = 'pruner';
  private readonly retention: ResolvedRetention;
  private readonly auditAge: number | null;

  /**
   * @param engine the engine of a worker, or of a queue.
   * @param retention what is kept; false keeps everything.
   * @throws InvalidOptionError, UnknownOptionError
   */
  constructor(engine: Engine, retention?: RetentionOptions | false) {
    super(engine);
    this.retention = resolveRetention(retention);
    this.auditAge = resolveAuditAge(retention);
  }

  /**
   * Deletes in batches that each commit by themselves. Aborting the signal ends the run between two of them. Where the
   * history is in day partitions, drops whole days and makes those to come.
   *
   * @throws UnpartitionedHistoryError; an AggregateError where several things go wrong.
   */
  override async runOnce(signal?: AbortSignal): Promise<PrunerResult> {
    let deleted = 0;
    // Days that are not made in time are the hardest to make up for: they are made also where nothing can be pruned.
    await runAll(
      async () => (deleted = await pruneHistory(this.engine, this.retention, { waitsForDays: true, signal })),
      () => createDaysAhead(this.engine),
      () => pruneRecords(this.engine, this.auditAge, signal),
    );
    return { deleted };
  }
}
