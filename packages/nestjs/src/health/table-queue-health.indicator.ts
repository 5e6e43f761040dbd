import { Injectable, Optional } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { type HealthOptions, InvalidOptionError, type QueueHealth, TableQueue } from '@tablequeue/typeorm';

/** Options of `TableQueueHealthIndicator.isHealthy`. */
export interface TableQueueHealthOptions extends HealthOptions {
  /** The queue to check, where there are several. Default: the queue of the default data source. */
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
   * Up if the database answers, this process's worker, if any, holds its lease, and no given limit is exceeded. The
   * details have the verdict, all problems and all figures, with or without a limit.
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

function detailsOf({
  status,
  problems,
  database,
  worker,
  backlog,
  oldestTransaction,
}: QueueHealth): Record<string, unknown> {
  return {
    verdict: status,
    database,
    worker,
    backlog: Object.fromEntries(backlog.map(({ queue, age, isPaused }) => [queue, { age, isPaused }])),
    oldestTransaction,
    ...(problems.length > 0 && { problems }),
  };
}
