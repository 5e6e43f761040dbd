import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MINUTE, type ThroughputDelta } from '../base/jobs/throughput-delta.js';

/**
 * Adds to the counts of a minute: one statement and one transaction. Processes that add to the same row hold it only
 * for their own commit and have no other locks, so they cannot deadlock.
 *
 * Index and lock: the primary key of one row. Run twice it adds twice, so it is not repeated.
 */
export function* addThroughput(dialect: Dialect, now: number, delta: ThroughputDelta): Operation<void> {
  const { queue, succeeded, failed, retried, expired, latencySum, latencyMax, runSum, runMax } = delta;
  yield* change(
    sql`INSERT INTO ${dialect.tables.throughput}
          (began_at, queue, succeeded, failed, retried, expired, latency_sum, run_sum, latency_max, run_max)
        VALUES (${now - (now % MINUTE)}, ${queue}, ${succeeded}, ${failed}, ${retried}, ${expired}, ${latencySum},
          ${runSum}, ${latencyMax}, ${runMax})
        ${dialect.onConflictUpdate(sql`began_at, queue`)}
          succeeded = succeeded + ${succeeded}, failed = failed + ${failed}, retried = retried + ${retried},
          expired = expired + ${expired}, latency_sum = latency_sum + ${latencySum}, run_sum = run_sum + ${runSum},
          latency_max = CASE WHEN latency_max < ${latencyMax} THEN ${latencyMax} ELSE latency_max END,
          run_max = CASE WHEN run_max < ${runMax} THEN ${runMax} ELSE run_max END`,
  );
}
