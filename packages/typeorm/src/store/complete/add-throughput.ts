import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Parameter, change } from '../../engine/operation.js';

/** One minute, in ms. */
export const MINUTE = 60_000;

/** The attempts of one queue that have ended in a process, and times in whole ms. */
export interface ThroughputDelta {
  readonly queue: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly retried: number;
  readonly latencySum: number;
  readonly latencyMax: number;
  readonly runSum: number;
  readonly runMax: number;
}

const SUMS = [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['retried', 'retried'],
  ['latency_sum', 'latencySum'],
  ['run_sum', 'runSum'],
] as const;
const HIGHEST = [
  ['latency_max', 'latencyMax'],
  ['run_max', 'runMax'],
] as const;

/**
 * Adds to what ended in a minute. A statement, and a transaction, of its own: of all processes that add to one row each
 * holds it for its own commit only, and has locked nothing else, so they never wait in a circle.
 *
 * Index and lock: the primary key of one row. Run twice it adds twice, so it is not repeated.
 */
export function* addThroughput(dialect: Dialect, now: number, part: ThroughputDelta): Operation<void> {
  const columns = [...SUMS, ...HIGHEST].map(([column]) => column);
  const values = [...SUMS, ...HIGHEST].map(([, property]): Parameter => part[property]);
  const sums = SUMS.map(([column]) => `${column} = ${column} + ?`);
  const highest = HIGHEST.map(([column]) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`);
  yield* change(
    `INSERT INTO ${dialect.tables.throughput} (began_at, queue, ${columns.join(', ')})
     VALUES (?, ?, ${columns.map(() => '?').join(', ')})
     ${dialect.orChangeExisting('began_at, queue')} ${[...sums, ...highest].join(', ')}`,
    [
      now - (now % MINUTE),
      part.queue,
      ...values,
      ...SUMS.map(([, property]) => part[property]),
      ...HIGHEST.flatMap(([, property]) => [part[property], part[property]]),
    ],
  );
}
