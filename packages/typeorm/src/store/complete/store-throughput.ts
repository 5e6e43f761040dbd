import type { Dialect } from '../../engine/dialect.js';
import type { Engine } from '../../engine/engine.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { ALL_QUEUES, MINUTE, type ThroughputDelta } from '../base/jobs/throughput-delta.js';

/**
 * Adds what several queues had to the counts of a minute, and to those of all queues.
 *
 * @param now by the database's clock, in ms.
 */
export async function storeThroughput(engine: Engine, now: number, deltas: readonly ThroughputDelta[]): Promise<void> {
  const options = { purpose: 'store throughput counts', repeatable: false };
  for (const delta of withTotal(deltas)) {
    await engine.execute((dialect) => addThroughput(dialect, now, delta), options);
  }
}

/** Returns what several queues had together, and then what each had. See docs/decisions/0149. */
function withTotal(deltas: readonly ThroughputDelta[]): ThroughputDelta[] {
  const sum = (property: Exclude<keyof ThroughputDelta, 'queue'>) =>
    deltas.reduce((total, delta) => total + delta[property], 0);
  const total = {
    queue: ALL_QUEUES,
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    retried: sum('retried'),
    expired: sum('expired'),
    latencySum: sum('latencySum'),
    latencyMax: Math.max(...deltas.map(({ latencyMax }) => latencyMax)),
    runSum: sum('runSum'),
    runMax: Math.max(...deltas.map(({ runMax }) => runMax)),
  };
  return [total, ...deltas];
}

/**
 * Adds to the counts of a minute: one statement and one transaction. Processes that add to the same row hold it only
 * for their own commit and have no other locks, so they cannot deadlock.
 *
 * Index and lock: the primary key of one row. Run twice it adds twice, so it is not repeated.
 */
function* addThroughput(dialect: Dialect, now: number, delta: ThroughputDelta): Operation<void> {
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
