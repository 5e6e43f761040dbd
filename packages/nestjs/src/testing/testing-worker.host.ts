import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type JobHandler, TableQueue } from '@tablequeue/typeorm';
import { resolveWorkerOptions } from '@tablequeue/typeorm/internal';
import { TestingClock, TestingQueue } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost, RESOLVED_OPTIONS } from '../queue-worker.host.js';
import { QueueSchedules } from '../queue.schedules.js';
import { queuesOf } from '../roles/work-share.js';
import type { ResolvedModuleOptions } from '../table-queue-options.js';
import { TABLE_QUEUE } from '../table-queue.constants.js';

/** Takes the place of the host in tests: has a testing queue with the handlers of the application, and no worker. */
@Injectable()
export class TestingWorkerHost extends QueueWorkerHost implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private testing: TestingQueue | undefined;
  private queues: readonly string[] = [];

  constructor(
    @Inject(TABLE_QUEUE) private readonly tableQueue: TableQueue,
    @Inject(RESOLVED_OPTIONS) private readonly resolved: ResolvedModuleOptions,
    private readonly schedules: QueueSchedules,
  ) {
    super(tableQueue, resolved);
  }

  /** There from when the application is initialised. */
  get testingQueue(): TestingQueue | undefined {
    return this.testing;
  }

  /** @throws DuplicateHandlerError, InvalidOptionError, UnknownOptionError */
  override create(handlers: readonly JobHandler[]): void {
    // As a worker would: wrong options are not to be found in production only.
    resolveWorkerOptions(this.resolved.worker);
    this.queues = queuesOf(handlers);
    this.testing = new TestingQueue(this.tableQueue, handlers, { logger: this.resolved.logger });
  }

  /** What the lifecycle does where there is a worker. */
  async onApplicationBootstrap(): Promise<void> {
    await this.schedules.set(this.queues);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.testing?.stopInline();
    const { clock } = this.tableQueue;
    if (clock instanceof TestingClock) {
      clock.restore();
    }
  }
}
