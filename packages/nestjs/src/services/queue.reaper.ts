import { Inject, Injectable, Optional } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Reaper, ReaperResult } from '@tablequeue/typeorm/internal';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { ScheduledService } from './scheduled.service.js';
import { type ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS } from '../table-queue.constants.js';

/** Frees the jobs of dead workers, at an interval. */
@Injectable()
export class QueueReaper extends ScheduledService<ReaperResult> {
  constructor(
    private readonly host: QueueWorkerHost,
    @Inject(RESOLVED_OPTIONS) options: ResolvedModuleOptions,
    @Optional() registry?: SchedulerRegistry,
  ) {
    super('reaper', options, registry);
  }

  protected override get service(): Reaper {
    return this.host.reaper;
  }
}
