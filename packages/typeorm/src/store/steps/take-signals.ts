import { isEncoded } from '../../codec/encoded-text.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { SIGNAL_STAGE } from '../../tables/signal.js';
import type { Fence } from '../base/jobs/claimed-job.js';
import { lockOneRunning } from '../base/locks/lock-running.js';
import { upsertWaits } from '../base/steps/upsert-waits.js';

/** A wait that looks for a signal. */
export interface SignalRequest {
  readonly job: Fence;
  /** The name of the wait. */
  readonly name: string;
  /** The signals it waits for. */
  readonly signals: readonly string[];
  readonly seq: number;
  /** Whether its timeout is over. */
  readonly isLate: boolean;
}

/** What a wait has come to: it has taken a signal, or its timeout is over. As the value of its row. */
export interface SignalTaken {
  readonly signal: string;
  readonly sentAt: number;
  /** The text as it was sent; null for none. */
  readonly data: string | null;
}

/** `none`: it goes on waiting. `busy`, `lost`: see `Completion`. */
export type SignalAnswer = SignalTaken | 'late' | 'none' | 'busy' | 'lost';

interface SignalFound {
  readonly name: string;
  readonly sent_at: number | string;
  readonly id: Buffer;
  readonly data: string | null;
  readonly once: string | null;
}

/** The statement that finds the oldest signal for a wait. Index: the primary key. Locks nothing. */
function oldestOf({ tables }: Dialect, { job, signals }: SignalRequest): Fragment {
  return sql`SELECT name, sent_at, id, data, once FROM ${tables.signal}
             WHERE job_id = ${job.id} AND name IN (${sql.list(signals)}) AND stage < ${SIGNAL_STAGE.taken}
             ORDER BY sent_at, id LIMIT 1`;
}

/** Whether there is a signal for a wait: one read without a transaction. */
export function* hasSignal(dialect: Dialect, request: SignalRequest): Operation<boolean> {
  return (yield* select(oldestOf(dialect, request))).length > 0;
}

/**
 * Takes the oldest signal for a wait, and records it as the result of the wait. Without one, records the timeout if it
 * is over. Part of a transaction.
 *
 * Index: the primary keys. Locks: the job's row under the fence, then the signal, which only the holder of the job
 * takes. If the process dies before the commit, the signal is there for the next attempt. If it is repeated after the
 * connection broke, the result of the first try is found.
 */
export function* takeSignal(dialect: Dialect, request: SignalRequest, isRetry: boolean): Operation<SignalAnswer> {
  const { job, name, signals, seq, isLate } = request;
  const lock = yield* lockOneRunning(dialect, job);
  if (lock !== 'ours') {
    return lock;
  }
  const earlier = isRetry ? yield* findResult(dialect, request) : undefined;
  if (earlier) {
    return earlier;
  }
  const [found] = yield* select<SignalFound>(oldestOf(dialect, request));
  if (!found && !isLate) {
    return 'none';
  }
  const taken = found && { signal: found.name, sentAt: Number(found.sent_at), data: found.data };
  yield* upsertWaits(dialect, [
    {
      job,
      kind: 'signal',
      name,
      state: taken ? 'done' : 'late',
      seq,
      failures: 0,
      value: taken ? valueOfSignal(taken) : null,
      error: null,
      took: null,
      due: null,
      awaits: null,
    },
  ]);
  if (signals.length > 1) {
    const kinds = signals.slice(1).map((_, index) => `any${index + 1}`);
    yield* change(
      sql`${dialect.deleteFrom(dialect.tables.step)}
          WHERE job_id = ${job.id} AND kind IN (${sql.list(kinds)}) AND name = ${name} AND recorded_at IS NOT NULL`,
    );
  }
  if (found) {
    yield* useUp(dialect, job, found);
  }
  return taken ?? 'late';
}

/** A signal with `once` is kept without its data, so that a repeated one is recognized. */
function* useUp({ tables, deleteFrom, byPrimaryKey }: Dialect, job: Fence, found: SignalFound): Operation<void> {
  const { name, sent_at: sentAt, id, once } = found;
  const isIt = sql`job_id = ${job.id} AND name = ${name} AND sent_at = ${Number(sentAt)} AND id = ${id}`;
  yield* change(
    once === null
      ? sql`${deleteFrom(tables.signal)} WHERE ${isIt} AND stage IS NOT NULL`
      : sql`UPDATE ${tables.signal} ${byPrimaryKey} SET stage = ${SIGNAL_STAGE.taken}, data = NULL WHERE ${isIt}`,
  );
}

function* findResult({ tables }: Dialect, { job, name }: SignalRequest): Operation<SignalAnswer | undefined> {
  const [row] = yield* select<{ state: string; value: string | null }>(
    sql`SELECT state, value FROM ${tables.step}
        WHERE job_id = ${job.id} AND kind = 'signal' AND name = ${name} AND state IN ('done', 'late')`,
  );
  return row && (row.value === null ? 'late' : signalOfValue(row.value));
}

/** The value of a wait's row. */
interface StoredSignal {
  readonly signal: string;
  readonly sentAt: number;
  readonly data?: unknown;
  /** The data as a codec has written it. */
  readonly encoded?: string;
}

/** The value of a wait's row, as JSON text. */
export function valueOfSignal({ signal, sentAt, data }: SignalTaken): string {
  const ofData = data === null ? '' : isEncoded(data) ? `,"encoded":${JSON.stringify(data)}` : `,"data":${data}`;
  return `{"signal":${JSON.stringify(signal)},"sentAt":${sentAt}${ofData}}`;
}

/** The reverse of `valueOfSignal`. */
export function signalOfValue(text: string): SignalTaken {
  const { signal, sentAt, data, encoded } = JSON.parse(text) as StoredSignal;
  return { signal, sentAt, data: encoded ?? (data === undefined ? null : JSON.stringify(data)) };
}
