import { Inject, Injectable, Optional } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Scheduler, SchedulerResult } from '@tablequeue/typeorm/internal';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { ScheduledService } from './scheduled.service.js';
import { type ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/** Enqueues the jobs of schedules when they are due. Reads the schedules of other processes at an interval. */
@Injectable()
export class QueueScheduler extends ScheduledService<SchedulerResult> {
  constructor(
    private readonly host: QueueWorkerHost,
    @Inject(RESOLVED_OPTIONS) options: ResolvedModuleOptions,
    @Optional() registry?: SchedulerRegistry,
  ) {
    super('scheduler', options, registry);
  }

  protected override get service(): Scheduler {
    return this.host.scheduler;
  }
}
