import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { chunksOf } from '../base/chunks.js';
import { type SortKey, compareSortKeys } from '../base/sort-key.js';
import type { MissingWorkers } from '../workers/missing-workers.js';
import { type LookRow, type QueueMode, type Signals, selectSignals, signalsIn } from './signals.js';

/** What to look at in one queue. */
export interface PollRequest {
  readonly queue: string;
  /** How many ready jobs to count at most. */
  readonly limit: number;
  /** Whether to look for jobs with a tenant. */
  readonly withTenants: boolean;
}

/** What was seen in one queue. */
export interface PollResult {
  /** How many jobs without a tenant are ready, up to the limit. */
  readonly ready: number;
  /** The place of the first of them. */
  readonly first: SortKey | undefined;
  /** Whether jobs with a tenant are ready; undefined where nobody asked. */
  readonly hasTenants: boolean | undefined;
  /** In how many ms the next scheduled job is due; 0 or less when it is. Undefined where none is scheduled. */
  readonly dueIn: number | undefined;
}

/** What a worker sees that looks. */
export interface Poll {
  /** One for each request, in the same order. */
  readonly sights: readonly PollResult[];
  readonly signals: Signals;
}

/** A queue takes three parts of a UNION, of which SQLite allows 500. */
const MOST_QUEUES = 150;

/** The kinds of rows that are about jobs of one request. */
const HEADS: ReadonlySet<string> = new Set(['ready', 'scheduled', 'tenants']);

/**
 * Looks at the heads of the ready and the scheduled lanes of queues, whether jobs of tenants are ready, and for signals to their workers: one statement,
 * however many queues they are.
 *
 * Locks nothing and sees nothing uncommitted. Reads index entries only, from the head of each lane, the dead ones
 * among them included. That is why an idle worker looks and does not claim: past 60,000 jobs finished behind an open
 * snapshot a look took 2 to 5 ms on MariaDB 10.11 and 7 ms on MySQL 9.7, a locking read that came to the end of the
 * lane 37 and 40 ms, whatever its lower bound, because InnoDB passes over dead entries without regard to where the
 * range ends (2026-11-20).
 *
 * @param watches whether to ask for workers that may have died as well.
 */
export function* pollQueues(dialect: Dialect, requests: readonly PollRequest[], watches: boolean): Operation<Poll> {
  const sights: PollResult[] = [];
  const modes = new Map<string, QueueMode>();
  let cancelled: readonly Buffer[] = [];
  let silence: MissingWorkers | undefined;
  for (const part of chunksOf(requests, MOST_QUEUES)) {
    const look = yield* lookAtPart(dialect, part, watches);
    sights.push(...look.sights);
    look.signals.modes.forEach((mode, queue) => modes.set(queue, mode));
    cancelled = look.signals.cancelled;
    silence = look.signals.silence;
  }
  return { sights, signals: { modes, cancelled, silence } };
}

function* lookAtPart(dialect: Dialect, requests: readonly PollRequest[], watches: boolean): Operation<Poll> {
  const { tables, byLane, now } = dialect;
  const head = (index: number, state: string, place: string, limit: number) =>
    `SELECT * FROM (
       SELECT ${index} AS request, '${state}' AS kind, ${place} AS place, id FROM ${tables.job} ${byLane}
       WHERE queue = ? AND state = '${state}' AND owner = 0
       ORDER BY position, id LIMIT ${Math.trunc(limit)}
     ) ${state}_${index}`;
  const tenants = (index: number) =>
    `SELECT * FROM (
       SELECT ${index} AS request, 'tenants' AS kind, 0 AS place, NULL AS id FROM ${tables.job} ${byLane}
       WHERE queue = ? AND state = 'ready' AND owner > 0
       ORDER BY owner LIMIT 1
     ) tenants_${index}`;
  const heads = requests.flatMap(({ limit, withTenants }, index) => [
    head(index, 'ready', 'position', limit),
    head(index, 'scheduled', `position - ${now}`, 1),
    ...(withTenants ? [tenants(index)] : []),
  ]);
  const queues = requests.map(({ queue }) => queue);
  const signals = selectSignals(dialect, queues, watches);
  const rows = yield* select<LookRow>(`${heads.join(' UNION ALL ')} UNION ALL ${signals.sql}`, [
    ...requests.flatMap(({ queue, withTenants }) => (withTenants ? [queue, queue, queue] : [queue, queue])),
    ...signals.parameters,
  ]);
  const sights = requests.map(({ withTenants }, index) => {
    const own = rows.filter(({ request, kind }) => HEADS.has(kind) && Number(request) === index);
    const ready = own
      .filter(({ kind }) => kind === 'ready')
      .map(({ place, id }) => ({ position: Number(place), id: id as Buffer }))
      .sort(compareSortKeys);
    const scheduled = own.find(({ kind }) => kind === 'scheduled');
    const hasTenants = withTenants ? own.some(({ kind }) => kind === 'tenants') : undefined;
    return { ready: ready.length, first: ready[0], hasTenants, dueIn: scheduled && Number(scheduled.place) };
  });
  return { sights, signals: signalsIn(rows) };
}
