import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { chunksOf, mostThatFit } from '../base/chunks.js';
import { type SortKey, compareSortKeys } from '../base/order/sort-key.js';
import type { MissingWorkers } from '../base/locks/missing-workers.js';
import { type PollRow, type QueueMode, type Signals, selectSignals, signalsIn } from './signals.js';

/** What to read of one queue. */
export interface PollRequest {
  readonly queue: string;
  /** How many ready jobs to count at most. */
  readonly limit: number;
  /** Whether to find out if jobs with a tenant are ready. */
  readonly withTenants: boolean;
}

/** What a poll found in one queue. */
export interface PollResult {
  /** How many jobs without a tenant are ready, up to the limit. */
  readonly ready: number;
  /** The sort key of the first of them. */
  readonly first: SortKey | undefined;
  /** Whether jobs with a tenant are ready; undefined if not requested. */
  readonly hasTenants: boolean | undefined;
  /** In how many ms the next scheduled job is due; 0 or less when it is. Undefined where none is scheduled. */
  readonly dueIn: number | undefined;
}

/** What a poll found. */
export interface Poll {
  /** One for each request, in the same order. */
  readonly results: readonly PollResult[];
  readonly signals: Signals;
}

/** A queue takes three SELECTs of a UNION; SQLite allows 500. */
const MOST_QUEUES = 150;
/** How long the SELECTs of one queue are at most. */
const QUEUE_BYTES = 1_200;

/** The kinds of rows that are jobs of one request. */
const HEADS: ReadonlySet<string> = new Set(['ready', 'scheduled', 'tenants']);

/**
 * Reads the heads of the ready and scheduled lanes of queues, whether jobs of tenants are ready, and the signals to the
 * workers: one statement for up to 150 queues.
 *
 * Locks nothing and sees committed rows only. Index: the head of each lane; it reads past the entries that jobs have
 * left and that are not purged yet. A locking read would read past the end of the lane too, so an idle worker polls and
 * does not claim: see docs/decisions/0003.
 *
 * @param withMissing whether to find missing workers too.
 */
export function* pollQueues(dialect: Dialect, requests: readonly PollRequest[], withMissing: boolean): Operation<Poll> {
  const results: PollResult[] = [];
  const modes = new Map<string, QueueMode>();
  let cancelled: readonly Buffer[] = [];
  let workers: MissingWorkers | undefined;
  for (const chunk of chunksOf(requests, mostThatFit(dialect, MOST_QUEUES, QUEUE_BYTES))) {
    const poll = yield* pollChunk(dialect, chunk, withMissing);
    results.push(...poll.results);
    poll.signals.modes.forEach((mode, queue) => modes.set(queue, mode));
    cancelled = poll.signals.cancelled;
    workers = poll.signals.workers;
  }
  return { results, signals: { modes, cancelled, workers } };
}

function* pollChunk(dialect: Dialect, requests: readonly PollRequest[], withMissing: boolean): Operation<Poll> {
  const selects = requests.flatMap(({ queue, limit, withTenants }, index) => [
    selectReady(dialect, queue, index, limit),
    selectScheduled(dialect, queue, index),
    ...(withTenants ? [selectTenants(dialect, queue, index)] : []),
  ]);
  const queues = requests.map(({ queue }) => queue);
  const rows = yield* select<PollRow>(
    sql.join([...selects, selectSignals(dialect, queues, withMissing)], sql` UNION ALL `),
  );
  const results = requests.map(({ withTenants }, index) => {
    const own = rows.filter(({ request, kind }) => HEADS.has(kind) && Number(request) === index);
    const ready = own
      .filter(({ kind }) => kind === 'ready')
      .map(({ place, id }) => ({ position: Number(place), id: id as Buffer }))
      .sort(compareSortKeys);
    const scheduled = own.find(({ kind }) => kind === 'scheduled');
    const hasTenants = withTenants ? own.some(({ kind }) => kind === 'tenants') : undefined;
    return { ready: ready.length, first: ready[0], hasTenants, dueIn: scheduled && Number(scheduled.place) };
  });
  return { results, signals: signalsIn(rows) };
}

function selectReady({ tables, byLane }: Dialect, queue: string, index: number, limit: number): Fragment {
  return sql`SELECT * FROM (
    SELECT ${sql.integer(index)} AS request, 'ready' AS kind, position AS place, id FROM ${tables.job} ${byLane}
    WHERE queue = ${queue} AND state = 'ready' AND lane = 0
    ORDER BY position, id LIMIT ${sql.integer(limit)}
  ) ready_${sql.integer(index)}`;
}

function selectScheduled({ tables, byLane, now }: Dialect, queue: string, index: number): Fragment {
  return sql`SELECT * FROM (
    SELECT ${sql.integer(index)} AS request, 'scheduled' AS kind, position - ${now} AS place, id
    FROM ${tables.job} ${byLane}
    WHERE queue = ${queue} AND state = 'scheduled' AND lane = 0
    ORDER BY position, id LIMIT 1
  ) scheduled_${sql.integer(index)}`;
}

function selectTenants({ tables, byLane }: Dialect, queue: string, index: number): Fragment {
  return sql`SELECT * FROM (
    SELECT ${sql.integer(index)} AS request, 'tenants' AS kind, 0 AS place, NULL AS id FROM ${tables.job} ${byLane}
    WHERE queue = ${queue} AND state = 'ready' AND lane > 0
    ORDER BY lane LIMIT 1
  ) tenants_${sql.integer(index)}`;
}
