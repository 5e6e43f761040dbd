import type { Dialect } from '../engine/dialect.js';
import { type Operation, select } from '../engine/operation.js';
import { inParts } from './in-parts.js';
import { type Place, comparePlaces } from './place.js';

/** What to look at in one queue. */
export interface LookRequest {
  readonly queue: string;
  /** How many ready jobs to count at most. */
  readonly limit: number;
}

/** What was seen in one queue. */
export interface Sight {
  /** How many jobs are ready, up to the limit. */
  readonly ready: number;
  /** The place of the first of them. */
  readonly first: Place | undefined;
  /** In how many ms the next scheduled job is due; 0 or less when it is. Undefined where none is scheduled. */
  readonly dueIn: number | undefined;
}

/** SQLite allows 500 parts in a UNION, a queue takes two. */
const MOST_QUEUES = 200;

/**
 * Looks at the heads of the ready and the scheduled lanes of queues: one statement, however many they are.
 *
 * Locks nothing and sees nothing uncommitted. Reads index entries only, from the head of each lane, the dead ones
 * among them included. That is why an idle worker looks and does not claim: past 60,000 jobs finished behind an open
 * snapshot a look took 2 to 5 ms on MariaDB 10.11 and 7 ms on MySQL 9.7, a locking read that came to the end of the
 * lane 37 and 40 ms, whatever its lower bound, because InnoDB passes over dead entries without regard to where the
 * range ends (2026-11-20).
 */
export function* lookForJobs(dialect: Dialect, requests: readonly LookRequest[]): Operation<Sight[]> {
  const sights: Sight[] = [];
  for (const part of inParts(requests, MOST_QUEUES)) {
    sights.push(...(yield* lookAtPart(dialect, part)));
  }
  return sights;
}

function* lookAtPart(dialect: Dialect, requests: readonly LookRequest[]): Operation<Sight[]> {
  const { tables, byLane, now } = dialect;
  const head = (index: number, state: string, place: string, limit: number) =>
    `SELECT * FROM (
       SELECT ${index} AS request, '${state}' AS state, ${place} AS place, id FROM ${tables.job} ${byLane}
       WHERE queue = ? AND state = '${state}' AND owner = 0
       ORDER BY position, id LIMIT ${Math.trunc(limit)}
     ) ${state}_${index}`;
  const heads = requests.flatMap(({ limit }, index) => [
    head(index, 'ready', 'position', limit),
    head(index, 'scheduled', `position - ${now}`, 1),
  ]);
  const rows = yield* select<{ request: number | string; state: string; place: number | string; id: Buffer }>(
    heads.join(' UNION ALL '),
    requests.flatMap(({ queue }) => [queue, queue]),
  );
  return requests.map((_request, index) => {
    const own = rows.filter(({ request }) => Number(request) === index);
    const ready = own
      .filter(({ state }) => state === 'ready')
      .map(({ place, id }) => ({ position: Number(place), id }))
      .sort(comparePlaces);
    const scheduled = own.find(({ state }) => state === 'scheduled');
    return {
      ready: ready.length,
      first: ready[0],
      dueIn: scheduled && Number(scheduled.place),
    };
  });
}
