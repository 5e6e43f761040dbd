import type { Engine } from '../engine/engine.js';
import type { QueueLogger } from '../logger.js';
import type { BulkRunner } from '../queue/bulk/bulk-runner.js';
import { MaintenanceService } from './maintenance-service.js';
import { Ticker } from './ticker.js';

/** How often workers look for bulk operations on which no process works, over all processes together, in ms. */
const INTERVAL = 5_000;

/** Works on bulk operations whose process has died, or that began in a process that does not work on them. */
export class BulkAdvancer extends MaintenanceService<number> {
  readonly task = 'bulk';

  constructor(
    engine: Engine,
    private readonly runner: BulkRunner,
    private readonly logger: QueueLogger,
  ) {
    super(engine);
  }

  /** @returns how many steps were done. */
  override runOnce(signal?: AbortSignal): Promise<number> {
    return this.runner.runAll(this.logger, signal);
  }

  ticker(): Ticker {
    return Ticker.for(this, INTERVAL, this.logger);
  }
}
