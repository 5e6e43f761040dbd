import type { JobTotals, TableQueue, TotalsByState } from '@tablequeue/typeorm';
import {
  type DetailedHealth,
  checkHealth,
  countFailures,
  executeRead,
  findLanes,
  findWorkers,
  readClock,
} from '@tablequeue/typeorm/internal';

import type { HealthProblem, JobState, Overview, Total, Totals } from '../contract/index.js';
import { queueRows } from './queue-rows.js';

const DAY = 24 * 3_600_000;
/** The limit of the count of failures. */
const MOST_FAILURES = 5_000;

/** Reads the overview of a database. The cost does not grow with the number of jobs. */
export async function readOverview(queue: TableQueue): Promise<Overview> {
  // In parallel: counting takes the server tens of ms on one core.
  const [{ takenAt, workers, failed }, settings, throughput, totals, health] = await Promise.all([
    executeRead(queue.engine, 'read the overview', function* (dialect) {
      return {
        takenAt: yield* readClock(dialect),
        workers: (yield* findWorkers(dialect)).filter(({ leaseLeft }) => leaseLeft > 0),
        failed: (yield* countFailures(dialect, yield* findLanes(dialect), MOST_FAILURES, DAY)).total,
      };
    }),
    queue.control.list(),
    queue.activity.throughput('hour'),
    queue.activity.totals(),
    checkHealth(queue.healthReader, queue.workers),
  ]);
  const offset = takenAt - Date.now();
  return {
    takenAt,
    queues: queueRows({ takenAt, workers, settings, throughput, health, totals: byQueue(totals, offset) }),
    workers: workers.length,
    status: health.status,
    problems: health.problems.map((each) => toProblem(each, offset)),
    failedLastDay: failed,
    totals: toTotals(totals.states, offset),
  };
}

function byQueue({ queues }: JobTotals, offset: number): ReadonlyMap<string, Totals> {
  return new Map(queues.map(({ queue, states }) => [queue, toTotals(states, offset)]));
}

/** @param offset from this process's clock to the database's, in ms. */
function toTotals(states: TotalsByState, offset: number): Totals {
  const toTotal = ({ count, isMinimum, isEstimate, countedAt, perMinute }: TotalsByState['ready']): Total => {
    const at = Math.round(countedAt.getTime() + offset);
    return { count, isCapped: isMinimum, isEstimate, countedAt: at, perMinute: perMinute ?? null };
  };
  return Object.fromEntries(
    Object.entries(states).map(([state, total]) => [state as JobState, toTotal(total)]),
  ) as Totals;
}

function toProblem(
  { kind, severity, message, since, count, examples, harm, action }: DetailedHealth['problems'][number],
  offset: number,
): HealthProblem {
  const at = since === undefined ? null : Math.round(since.getTime() + offset);
  return { kind, severity, text: message, since: at, count, examples, harm, action };
}
