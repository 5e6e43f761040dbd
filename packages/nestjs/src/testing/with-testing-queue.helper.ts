import type { TestingModuleBuilder } from '@nestjs/testing';
import { TestingClock } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import type { ResolvedModuleExtras } from '../options/table-queue.extras.js';
import { type TableQueueModuleOptions, resolveModuleOptions } from '../options/table-queue.options.js';
import { MODULE_EXTRAS, RESOLVED_OPTIONS } from '../table-queue.constants.js';
import { MODULE_OPTIONS_TOKEN } from '../table-queue.module-definition.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/** Options of `withTestingQueue`. */
export interface TestingOverrides {
  /** The clock. Default: the one in the options of `TableQueueModule`, or else a new `TestingClock`. */
  readonly clock?: TestingClock;
}

/**
 * Prepares a testing module of an application that has its own `TableQueueModule` and database. No worker starts, no
 * maintenance runs, and the queue has a testing clock: jobs run when the test drains `testingQueue(app)`.
 *
 * @returns the builder that was given.
 */
export function withTestingQueue(
  builder: TestingModuleBuilder,
  overrides: TestingOverrides = {},
): TestingModuleBuilder {
  return builder
    .overrideProvider(QueueWorkerHost)
    .useClass(TestingWorkerHost)
    .overrideProvider(RESOLVED_OPTIONS)
    .useFactory({
      factory: (options: TableQueueModuleOptions, extras: ResolvedModuleExtras) => {
        const resolved = resolveModuleOptions(options, extras);
        const clock = overrides.clock ?? resolved.queue.clock ?? new TestingClock();
        return { ...resolved, queue: { ...resolved.queue, clock } };
      },
      inject: [MODULE_OPTIONS_TOKEN, MODULE_EXTRAS],
    });
}
