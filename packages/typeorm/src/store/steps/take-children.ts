import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { Fence } from '../base/jobs/claimed-job.js';
import { lockOneRunning } from '../base/locks/lock-running.js';
import { type SignalKey, deleteSignals } from '../base/steps/signal-keys.js';
import { upsertWaits } from '../base/steps/upsert-waits.js';

/** A wait for children. */
export interface ChildrenRequest {
  readonly job: Fence;
  /** The name of the wait. */
  readonly name: string;
  /** The id of their set, as text. */
  readonly set: string;
  /** How many they are. */
  readonly children: number;
  readonly seq: number;
  /** The longest JSON text of all outcomes together, in bytes. */
  readonly maxBytes: number;
  /** What the wait comes to. `outcomes` are the JSON texts of the children's outcomes, in the order of the children. */
  readonly toResult: (outcomes: readonly string[] | 'too long') => ChildrenResult;
}

/** The row of a wait that is over. */
export interface ChildrenResult {
  readonly state: 'done' | 'failed';
  readonly value: string | null;
  readonly error: string | null;
}

/** `none`: not all have ended. `busy`, `lost`: see `Completion`. */
export type ChildrenAnswer = ChildrenResult | 'none' | 'busy' | 'lost';

interface FoundOutcome extends SignalKey {
  readonly data: string;
}

/** Whether all children of a set have ended: one read without a transaction. */
export function* haveChildrenEnded({ tables }: Dialect, { job, set, children }: ChildrenRequest): Operation<boolean> {
  const [row] = yield* select<{ ended: number | string }>(
    sql`SELECT COUNT(*) AS ended FROM ${tables.signal} WHERE job_id = ${job.id} AND name = ${set}`,
  );
  return Number(row?.ended) >= children;
}

/**
 * Takes the outcomes of children that have all ended, in the order of the children, and records them as the result of
 * the wait. Part of a transaction.
 *
 * Index: the primary keys. Locks: the parent's row under the fence, then the outcomes. If the process dies before the
 * commit, they are there for the next attempt. If it is repeated after the connection broke, the result of the first
 * try is found.
 */
export function* takeChildren(dialect: Dialect, request: ChildrenRequest, isRetry: boolean): Operation<ChildrenAnswer> {
  const { job, name, set, children, seq, maxBytes, toResult } = request;
  const lock = yield* lockOneRunning(dialect, job);
  if (lock !== 'ours') {
    return lock;
  }
  const earlier = isRetry ? yield* findResult(dialect, request) : undefined;
  if (earlier) {
    return earlier;
  }
  const ofSet = sql`FROM ${dialect.tables.signal} WHERE job_id = ${job.id} AND name = ${set}`;
  const [size] = yield* select<{ ended: number | string; bytes: number | string }>(
    sql`SELECT COUNT(*) AS ended, COALESCE(SUM(OCTET_LENGTH(data) + 1), 0) + 1 AS bytes ${ofSet}`,
  );
  if (Number(size?.ended) < children) {
    return 'none';
  }
  // Before they are read: together they may not fit into memory.
  const isTooLong = Number(size?.bytes) > maxBytes;
  // Ids of children are made in their order.
  const found = yield* select<FoundOutcome>(
    sql`SELECT job_id, name, sent_at, id, ${isTooLong ? sql`''` : sql`data`} AS data ${ofSet} ORDER BY id`,
  );
  const result = toResult(isTooLong ? 'too long' : found.map(({ data }) => data));
  yield* upsertWaits(dialect, [
    { job, kind: 'child', name, seq, failures: 0, took: null, due: null, awaits: set, ...result },
  ]);
  yield* deleteSignals(dialect, found);
  return result;
}

function* findResult({ tables }: Dialect, { job, name }: ChildrenRequest): Operation<ChildrenResult | undefined> {
  const [row] = yield* select<ChildrenResult>(
    sql`SELECT state, value, error FROM ${tables.step}
        WHERE job_id = ${job.id} AND kind = 'child' AND name = ${name} AND state IN ('done', 'failed')`,
  );
  return row;
}
