import type { TableQueue } from '@tablequeue/typeorm';
import {
  type DetailedHealth,
  checkHealth,
  countFailures,
  executeRead,
  findLanes,
  findWorkers,
  readClock,
} from '@tablequeue/typeorm/internal';

import type { HealthProblem, Overview } from '../contract/index.js';
import { QueueRows } from './queue-rows.js';
import { toTotals } from './to-totals.js';

const DAY = 24 * 3_600_000;
/** The limit of the count of failures. */
const MOST_FAILURES = 5_000;

/** What one read has found: the overview, and what the rows of its queues are computed from. */
export interface OverviewRead {
  readonly overview: Overview;
  readonly queues: QueueRows;
}

/** Reads the overview of a database. The cost does not grow with the number of jobs. */
export async function readOverview(queue: TableQueue): Promise<OverviewRead> {
  const lanes = await executeRead(queue.engine, 'read the overview', findLanes);
  // In parallel: counting takes the server tens of ms on one core.
  const [{ takenAt, workers, failed }, settings, totals, health] = await Promise.all([
    executeRead(queue.engine, 'read the overview', function* (dialect) {
      return {
        takenAt: yield* readClock(dialect),
        workers: (yield* findWorkers(dialect)).filter(({ leaseLeft }) => leaseLeft > 0),
        failed: (yield* countFailures(dialect, lanes, MOST_FAILURES, DAY)).total,
      };
    }),
    queue.control.list(),
    queue.activity.jobTotals.read(lanes),
    checkHealth(queue.healthReader, queue.workers, {}, lanes),
  ]);
  const offset = takenAt - Date.now();
  const queues = new QueueRows({ takenAt, offset, workers, settings, totals, health });
  const overview = {
    takenAt,
    queueCount: queues.count,
    throughput: queues.throughput,
    workers: workers.length,
    status: health.status,
    problems: health.problems.map((each) => toProblem(each, offset)),
    failedLastDay: failed,
    totals: toTotals(totals.states, offset),
  };
  return { overview, queues };
}

function toProblem(
  { kind, severity, message, since, count, examples, harm, action }: DetailedHealth['problems'][number],
  offset: number,
): HealthProblem {
  const at = since === undefined ? null : Math.round(since.getTime() + offset);
  return { kind, severity, text: message, since: at, count, examples, harm, action };
}
