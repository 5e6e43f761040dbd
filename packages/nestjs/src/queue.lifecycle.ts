import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { JobHandler } from '@tablequeue/typeorm';

import { MissingScheduleModuleError } from './errors/index.js';
import { QueueWorkerHost, RESOLVED_OPTIONS } from './queue-worker.host.js';
import { QueueExplorer } from './queue.explorer.js';
import { QueueSchedules } from './queue.schedules.js';
import type { ScheduledService } from './scheduled-service.js';
import { type ResolvedModuleOptions } from './table-queue-options.js';
import { SCHEDULED_SERVICES } from './table-queue.constants.js';

/**
 * The one place with start and stop, so that nothing depends on the order in which Nest calls the hooks of different
 * providers.
 *
 * Wrong handlers are found in `onModuleInit`, before any job is claimed; work begins when the whole application is
 * ready. On shutdown claiming ends first, handlers that run may go on enqueueing, and everything is over before
 * TypeORM closes the data source in `onApplicationShutdown`.
 */
@Injectable()
export class QueueLifecycle
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  constructor(
    private readonly explorer: QueueExplorer,
    private readonly host: QueueWorkerHost,
    @Inject(SCHEDULED_SERVICES) private readonly services: readonly ScheduledService<unknown>[],
    private readonly schedules: QueueSchedules,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Optional() private readonly registry?: SchedulerRegistry,
  ) {}

  onModuleInit(): void {
    const { handlers, schedules } = this.explorer.explore();
    if (handlers.length > 0 && !this.registry) {
      throw new MissingScheduleModuleError();
    }
    this.host.create(handlers);
    this.schedules.take(schedules);
    this.announce(handlers);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { worker } = this.host;
    if (worker) {
      await this.schedules.set();
      await worker.start();
      this.services.forEach((service) => service.start());
      await this.schedules.tellOfOthers();
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.host.worker?.stopClaiming();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop()));
    const running = this.host.worker?.activeJobs ?? 0;
    if (running > 0) {
      this.options.logger.log(`Waiting for ${running} running ${running === 1 ? 'job' : 'jobs'} to end`);
    }
    await this.host.worker?.stop();
  }

  private announce(handlers: readonly JobHandler[]): void {
    for (const { definition, place } of handlers) {
      this.options.logger.log(`Job "${definition.name}" of queue "${definition.queue}" is handled by ${place}`);
    }
  }
}
