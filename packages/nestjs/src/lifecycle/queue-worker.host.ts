import { Inject, Injectable } from '@nestjs/common';
import { type JobHandler, TableQueue, TableQueueWorker } from '@tablequeue/typeorm';
import { Pruner, Reaper, Retrier, Scheduler } from '@tablequeue/typeorm/internal';

import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS, TABLE_QUEUE } from '../table-queue.constants.js';

/** The maintenance tasks. Without a worker they use the application's own connections. */
export interface MaintenanceTasks {
  readonly reaper: Reaper;
  readonly retrier: Retrier;
  readonly pruner: Pruner;
  readonly scheduler: Scheduler;
}

/** Holds the worker of this process. A process without handlers has none; it only enqueues. */
@Injectable()
export class QueueWorkerHost implements MaintenanceTasks {
  /** Whether jobs run when they are due, and not when a test drains them. */
  readonly runsJobs: boolean = true;
  private hosted: TableQueueWorker | undefined;

  constructor(
    @Inject(TABLE_QUEUE) protected readonly queue: TableQueue,
    @Inject(RESOLVED_OPTIONS) protected readonly options: ResolvedModuleOptions,
  ) {}

  get worker(): TableQueueWorker | undefined {
    return this.hosted;
  }

  get reaper(): Reaper {
    return this.hosted?.reaper ?? new Reaper(this.queue.engine);
  }

  get retrier(): Retrier {
    return this.hosted?.retrier ?? new Retrier(this.queue.engine);
  }

  get pruner(): Pruner {
    return this.hosted?.pruner ?? new Pruner(this.queue.engine, this.options.worker.retention);
  }

  get scheduler(): Scheduler {
    return this.hosted?.scheduler ?? new Scheduler(this.queue.engine, this.queue.recurring, this.options.logger);
  }

  /** Stops what runs jobs. Idempotent. */
  async stop(): Promise<void> {
    await this.hosted?.stop();
  }

  /** @throws DuplicateHandlerError, InvalidOptionError, UnknownOptionError */
  create(handlers: readonly JobHandler[]): void {
    if (handlers.length > 0 && !(this.queue instanceof TableQueue)) {
      this.options.logger.warn('TableQueue is overridden by something else: no job is run in this application');
    } else if (handlers.length > 0) {
      this.hosted = new TableQueueWorker(this.queue, handlers, this.options.worker);
    }
  }
}
