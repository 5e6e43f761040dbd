import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { JobHandler } from '@tablequeue/typeorm';

import { DuplicateModuleError, MissingScheduleModuleError } from './errors/index.js';
import { QueueWorkerHost } from './queue-worker.host.js';
import { QueueExplorer } from './queue.explorer.js';
import { QueuePruner } from './queue.pruner.js';
import { QueueReaper } from './queue.reaper.js';
import { QueueRetrier } from './queue.retrier.js';
import { QueueScheduler } from './queue.scheduler.js';
import { QueueSchedules } from './queue.schedules.js';

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
  /** By their module containers, of which each application has one. */
  private static readonly applications = new WeakSet<ModulesContainer>();
  private readonly logger = new Logger('TableQueue');

  constructor(
    private readonly explorer: QueueExplorer,
    private readonly host: QueueWorkerHost,
    private readonly reaper: QueueReaper,
    private readonly retrier: QueueRetrier,
    private readonly pruner: QueuePruner,
    private readonly scheduler: QueueScheduler,
    private readonly schedules: QueueSchedules,
    private readonly modules: ModulesContainer,
    @Optional() private readonly registry?: SchedulerRegistry,
  ) {}

  onModuleInit(): void {
    if (QueueLifecycle.applications.has(this.modules)) {
      throw new DuplicateModuleError();
    }
    QueueLifecycle.applications.add(this.modules);
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
      this.reaper.start();
      this.retrier.start();
      this.pruner.start();
      this.scheduler.start();
      await this.schedules.tellOfOthers();
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.host.worker?.stopClaiming();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.reaper.stop(), this.retrier.stop(), this.pruner.stop(), this.scheduler.stop()]);
    const running = this.host.worker?.activeJobs ?? 0;
    if (running > 0) {
      this.logger.log(`Waiting for ${running} running ${running === 1 ? 'job' : 'jobs'} to end`);
    }
    await this.host.worker?.stop();
  }

  private announce(handlers: readonly JobHandler[]): void {
    for (const { definition, place } of handlers) {
      this.logger.log(`Job "${definition.name}" of queue "${definition.queue}" is handled by ${place}`);
    }
  }
}
