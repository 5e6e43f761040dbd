import type { DataSource } from 'typeorm';

import type { Dialect } from '../../engine/dialect.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import type { ObservedQueue } from '../../instrumentation/instrumentation.js';
import type { QueueFigures } from '../../instrumentation/queue-figures.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { DetailedHealth } from '../health/check-health.js';
import { findLanes } from '../../store/base/order/find-lanes.js';
import { countFailures } from '../../store/reports/count-failures.js';
import { countJobs } from '../../store/reports/count-jobs.js';
import { countWorkers } from '../../store/workers/count-workers.js';
import { findOldestReady } from '../../store/reports/find-oldest-ready.js';
import { tablePrefixOf } from '../../tables/table-names.js';

/** Counts end here, so that the cost of a scrape does not grow with the queues. */
const MOST_COUNTED = 10_000;

/** How long figures are shared, in ms, so that many scrapes cost no more than one. */
const FRESH = 5_000;

/** The figures of a queue for metrics: read on demand, and at most once in five seconds. */
export class SharedFigures implements ObservedQueue {
  private last: Promise<QueueFigures | undefined> | undefined;
  private readAt = -Infinity;

  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
    private readonly checkHealth: () => Promise<DetailedHealth>,
  ) {}

  get database(): string {
    return String(this.dataSource.driver.database ?? this.dataSource.options.database ?? '');
  }

  get prefix(): string {
    return tablePrefixOf(this.dataSource);
  }

  figures(): Promise<QueueFigures | undefined> {
    if (this.last === undefined || performance.now() - this.readAt > FRESH) {
      this.readAt = performance.now();
      this.last = this.read();
    }
    return this.last;
  }

  private async read(): Promise<QueueFigures | undefined> {
    if (!this.dataSource.isInitialized) {
      return undefined;
    }
    try {
      const figures = await executeRead(this.engine, 'read the figures of the queues', readFigures);
      return { ...figures, problems: (await this.checkHealth()).problems };
    } catch (error) {
      logError(this.logger, 'The figures of the queues could not be read', error);
      return undefined;
    }
  }
}

function* readFigures(dialect: Dialect): Operation<Omit<QueueFigures, 'problems'>> {
  const lanes = yield* findLanes(dialect);
  return {
    counts: yield* countJobs(dialect, lanes, MOST_COUNTED),
    oldestReady: yield* findOldestReady(dialect, lanes),
    failed: (yield* countFailures(dialect, lanes, MOST_COUNTED)).total,
    workers: yield* countWorkers(dialect),
  };
}
