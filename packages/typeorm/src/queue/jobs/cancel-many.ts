import { forEachBatch } from '../../async/batches.js';
import { type AnyJobDefinition, assertJobDefinition } from '../../definition/job-definition.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import { type Duration, toMilliseconds } from '../../duration.js';
import type { Engine } from '../../engine/engine.js';
import { sql } from '../../engine/sql.js';
import { assertKnownOptions } from '../../options.js';
import { cancelJobs } from '../../store/actions/cancel-jobs.js';
import type { EndedJob } from '../../store/base/jobs/ended-job.js';
import { findInLane, lanesOf } from '../../store/reports/find-in-lane.js';
import { type SortKey, BEFORE_ALL } from '../../store/base/order/sort-key.js';
import { isLive } from '../../tables/job.js';

const FIND = { purpose: 'find jobs to cancel', readOnly: true };

/** The jobs that `cancelMany` cancels: all of a queue, or those that also match `only` and `olderThan`. */
export interface CancelFilter {
  /** The queue of the jobs. */
  readonly queue: QueueName;
  /** Only jobs of this definition. Default: all. */
  readonly only?: AnyJobDefinition;
  /** Only jobs that were created at least this long ago: 0 ms to 100 years. Default: 0. */
  readonly olderThan?: Duration;
}

/** The result of a cancellation. */
export interface CancelCounts {
  /** How many waiting jobs were cancelled. */
  readonly cancelled: number;
  /** How many running jobs were requested to end: their signals are aborted within a second. */
  readonly requested: number;
}

/**
 * Cancels jobs in batches that each commit on their own.
 *
 * @param onCancelled called with the jobs of each batch on which others may depend.
 */
export async function cancelMany(
  engine: Engine,
  filter: CancelFilter,
  onCancelled: (ended: readonly EndedJob[]) => void,
): Promise<CancelCounts> {
  const wanted = resolveFilter(filter);
  const total = { cancelled: 0, requested: 0 };
  await forEachBatchOfLive(engine, wanted, async (_isRunning, ids) => {
    const { cancelled, requested, ended } = await engine.execute((dialect) => cancelJobs(dialect, ids, wanted.name), {
      purpose: 'cancel jobs',
      atomic: true,
    });
    onCancelled(ended);
    total.cancelled += cancelled.length;
    total.requested += requested.length;
  });
  return total;
}

/** Counts the jobs that `cancelMany` would cancel or request to end. */
export async function countCancellable(engine: Engine, filter: CancelFilter): Promise<CancelCounts> {
  const total = { cancelled: 0, requested: 0 };
  await forEachBatchOfLive(engine, resolveFilter(filter), (isRunning, ids) => {
    total[isRunning ? 'requested' : 'cancelled'] += ids.length;
  });
  return total;
}

interface WantedJobs {
  readonly queue: string;
  readonly name: string | null;
  /** The least time since their creation, in ms. */
  readonly age: number;
}

/** Calls a function with the ids of matching live jobs, batch by batch. */
async function forEachBatchOfLive(
  engine: Engine,
  { queue, name, age }: WantedJobs,
  each: (isRunning: boolean, ids: readonly Buffer[]) => Promise<void> | void,
): Promise<void> {
  const lanes = await engine.execute((dialect) => lanesOf(dialect, queue), FIND);
  const isNamed = name === null ? sql.empty : sql`AND name = ${name}`;
  for (const lane of lanes.filter(({ state }) => isLive(state))) {
    await forEachBatch<SortKey>(BEFORE_ALL, async (after) => {
      const { jobs, end } = await engine.execute(
        (dialect) => findInLane(dialect, lane, sql`created_at <= ${dialect.now} - ${age} ${isNamed}`, after),
        FIND,
      );
      await each(
        lane.state === 'running',
        jobs.map(({ id }) => id),
      );
      return end;
    });
  }
}

function resolveFilter(filter: CancelFilter): WantedJobs {
  assertKnownOptions(filter, ['queue', 'only', 'olderThan']);
  const { queue, only, olderThan = 0 } = filter;
  assertQueueName(queue);
  if (only !== undefined) {
    assertJobDefinition('only', only);
  }
  return { queue, name: only?.name ?? null, age: toMilliseconds('olderThan', olderThan) };
}
