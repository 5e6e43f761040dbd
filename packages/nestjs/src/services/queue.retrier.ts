import { Inject, Injectable, Optional } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Retrier, RetrierResult } from '@tablequeue/typeorm/internal';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { ScheduledService } from './scheduled.service.js';
import { type ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/** Makes retries and delayed jobs ready when they are due, at an interval. */
@Injectable()
export class QueueRetrier extends ScheduledService<RetrierResult> {
  constructor(
    private readonly host: QueueWorkerHost,
    @Inject(RESOLVED_OPTIONS) options: ResolvedModuleOptions,
    @Optional() registry?: SchedulerRegistry,
  ) {
    super('retrier', options, registry);
  }

  protected override get service(): Retrier {
    return this.host.retrier;
  }
}
