import { Inject, Injectable, Optional } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Ticker } from '@tablequeue/typeorm/internal';

import { MissingScheduleModuleError } from '../errors/index.js';
import { type MaintenanceTasks, QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { qualifiedName } from '../options/data-source.name.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/**
 * A maintenance task on an interval of the application's scheduler. It is registered at run time, because its period is
 * an option. Unlike the scheduler's own intervals it never overlaps itself, survives errors, and the shutdown waits for
 * it.
 */
@Injectable()
export abstract class ScheduledService<Task extends keyof MaintenanceTasks> {
  protected abstract readonly task: Task;
  private ticker: Ticker | undefined;

  constructor(
    private readonly host: QueueWorkerHost,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Optional() private readonly registry?: SchedulerRegistry,
  ) {}

  /** Does the work now, whether or not it is due. Safe at any time and in several processes at once. */
  runOnce(): ReturnType<MaintenanceTasks[Task]['runOnce']> {
    return this.service.runOnce() as ReturnType<MaintenanceTasks[Task]['runOnce']>;
  }

  /** @throws MissingScheduleModuleError */
  start(): void {
    if (!this.registry) {
      throw new MissingScheduleModuleError();
    }
    const { maintenance, logger } = this.options;
    this.ticker = Ticker.for(this.service, maintenance[this.task], logger);
    this.registry.addInterval(this.name, this.ticker.start());
  }

  /** Resolves when no run is under way any more. */
  async stop(): Promise<void> {
    if (this.ticker && this.registry?.doesExist('interval', this.name)) {
      this.registry.deleteInterval(this.name);
    }
    await this.ticker?.stop();
  }

  /** The interval's name in `SchedulerRegistry`. */
  private get name(): string {
    return `${qualifiedName('tablequeue', this.options.dataSource)}:${this.task}`;
  }

  private get service(): MaintenanceTasks[Task] {
    return this.host[this.task];
  }
}
