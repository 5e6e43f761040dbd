import { Inject, Injectable, Optional } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Pruner, PrunerResult } from '@tablequeue/typeorm/internal';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { ScheduledService } from './scheduled.service.js';
import { type ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/** Deletes finished jobs after their retention, at an interval. */
@Injectable()
export class QueuePruner extends ScheduledService<PrunerResult> {
  constructor(
    private readonly host: QueueWorkerHost,
    @Inject(RESOLVED_OPTIONS) options: ResolvedModuleOptions,
    @Optional() registry?: SchedulerRegistry,
  ) {
    super('pruner', options, registry);
  }

  protected override get service(): Pruner {
    return this.host.pruner;
  }
}
