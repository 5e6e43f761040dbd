import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type JobHandler, TableQueue } from '@tablequeue/typeorm';
import { handledQueues, resolveWorkerOptions } from '@tablequeue/typeorm/internal';
import { TestingClock, TestingQueue } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import { QueueSchedules } from '../lifecycle/queue.schedules.js';
import type { ResolvedModuleOptions } from '../options/table-queue.options.js';
import { RESOLVED_OPTIONS, TABLE_QUEUE } from '../table-queue.constants.js';

/** Replaces the host in tests: has a testing queue with the handlers of the application, and no worker. */
@Injectable()
export class TestingWorkerHost extends QueueWorkerHost implements OnApplicationBootstrap {
  override readonly runsJobs = false;
  private testing: TestingQueue | undefined;
  private queues: readonly string[] = [];

  constructor(
    @Inject(TABLE_QUEUE) queue: TableQueue,
    @Inject(RESOLVED_OPTIONS) options: ResolvedModuleOptions,
    private readonly schedules: QueueSchedules,
  ) {
    super(queue, options);
  }

  /** Undefined before the application is initialized. */
  get testingQueue(): TestingQueue | undefined {
    return this.testing;
  }

  /** @throws DuplicateHandlerError, InvalidOptionError, UnknownOptionError */
  override create(handlers: readonly JobHandler[]): void {
    // As a worker does, so that tests find wrong options too.
    resolveWorkerOptions(this.options.worker);
    this.queues = handledQueues(handlers);
    this.testing = new TestingQueue(this.queue, handlers, { logger: this.options.logger });
  }

  /** What the lifecycle does where there is a worker. */
  async onApplicationBootstrap(): Promise<void> {
    await this.schedules.defineSchedules(this.queues);
  }

  override async stop(): Promise<void> {
    await this.testing?.stopInline();
    const { clock } = this.queue;
    if (clock instanceof TestingClock) {
      clock.restore();
    }
  }
}
