import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { type HealthOptions, InvalidOptionError, type QueueHealth, TableQueue } from '@tablequeue/typeorm';

/** What `TableQueueHealthIndicator.isHealthy` takes besides the key. */
export interface TableQueueHealthOptions extends HealthOptions {
  /** The queue to look at, where there are several. Default: that of the unnamed data source. */
  readonly queue?: TableQueue;
}

/**
 * The health of the queue for `@nestjs/terminus`. Provide it in the module of your health controller, which imports
 * `TerminusModule`.
 */
@Injectable()
export class TableQueueHealthIndicator {
  constructor(
    private readonly healthIndicatorService: HealthIndicatorService,
    @Optional() private readonly defaultQueue?: TableQueue,
  ) {}

  /**
   * Is up where the database answers, the worker of this process, if it has one, holds its lease, and no limit that is given
   * is exceeded. The figures are in the details, whether or not they have a limit.
   *
   * @throws InvalidOptionError, UnknownOptionError
   */
  async isHealthy<const Key extends string>(
    key: Key,
    options: TableQueueHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const { queue = this.defaultQueue, ...limits } = options;
    if (!queue) {
      throw new InvalidOptionError('queue', queue, 'given where TableQueue cannot be injected');
    }
    const health = await queue.health(limits);
    const check = this.healthIndicatorService.check(key);
    return health.isHealthy ? check.up(detailsOf(health)) : check.down(detailsOf(health));
  }
}

function detailsOf({ problems, database, worker, backlog, oldestTransaction }: QueueHealth): Record<string, unknown> {
  return {
    database,
    worker,
    backlog: Object.fromEntries(backlog.map(({ queue, age, isPaused }) => [queue, { age, isPaused }])),
    oldestTransaction,
    ...(problems.length > 0 && { problems }),
  };
}
