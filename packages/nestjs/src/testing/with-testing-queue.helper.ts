import type { TestingModuleBuilder } from '@nestjs/testing';
import { TestingClock } from '@tablequeue/typeorm/testing';

import { QueueWorkerHost } from '../lifecycle/queue-worker.host.js';
import type { ResolvedModuleExtras } from '../options/table-queue.extras.js';
import { type TableQueueModuleOptions, resolveModuleOptions } from '../options/table-queue.options.js';
import { MODULE_EXTRAS, RESOLVED_OPTIONS } from '../table-queue.constants.js';
import { MODULE_OPTIONS_TOKEN } from '../table-queue.module-definition.js';
import { TestingWorkerHost } from './testing-worker.host.js';

/** What `withTestingQueue` takes. */
export interface TestingOverrides {
  /** Default: the one in the options of `TableQueueModule` if there is one, otherwise a new `TestingClock`. */
  readonly clock?: TestingClock;
}

/**
 * Makes a testing module of an application with its own `TableQueueModule` and its own database, in which jobs wait for the
 * test: no worker starts, no maintenance runs, and the queue has a testing clock. Then `testingQueue(app)`.
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
