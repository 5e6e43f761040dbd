import type { SchedulerRegistry } from '@nestjs/schedule';
import type { MaintenanceIntervals } from '@tablequeue/typeorm';
import { type MaintenanceService, Ticker } from '@tablequeue/typeorm/internal';

import { qualifiedName } from '../options/data-source.name.js';
import { MissingScheduleModuleError } from '../errors/index.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';

/**
 * A maintenance task on an interval of the application's scheduler. It is registered at run time, because its period is
 * an option. Unlike the scheduler's own intervals it never overlaps itself, survives errors, and the shutdown waits for
 * it.
 */
export abstract class ScheduledService<Result> {
  /** The interval's name in `SchedulerRegistry`. */
  private readonly name: string;
  private ticker: Ticker | undefined;

  protected constructor(
    private readonly kind: keyof MaintenanceIntervals,
    private readonly options: ResolvedModuleOptions,
    private readonly registry: SchedulerRegistry | undefined,
  ) {
    this.name = `${qualifiedName('tablequeue', options.dataSource)}:${kind}`;
  }

  protected abstract readonly service: MaintenanceService<Result>;

  /** Does the work now, whether or not it is due. Safe at any time and in several processes at once. */
  runOnce(): Promise<Result> {
    return this.service.runOnce();
  }

  /** @throws MissingScheduleModuleError */
  start(): void {
    if (!this.registry) {
      throw new MissingScheduleModuleError();
    }
    const { maintenance, logger } = this.options;
    this.ticker = Ticker.for(this.service, maintenance[this.kind], logger);
    this.registry.addInterval(this.name, this.ticker.start());
  }

  /** Resolves when no run is under way any more. */
  async stop(): Promise<void> {
    if (this.ticker && this.registry?.doesExist('interval', this.name)) {
      this.registry.deleteInterval(this.name);
    }
    await this.ticker?.stop();
  }
}
