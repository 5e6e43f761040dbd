import { subscriptionJobName } from '../../definition/event-queue.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import {
  type LockedRun,
  MOST_BYTES,
  MOST_JOBS,
  type NewPart,
  type RunPart,
  dueJob,
  lockRuns,
  storeParts,
} from './event-run.js';

/** How far a fan-out is, and its result. */
export interface FanOutProgress {
  /** How many jobs it has stored. */
  readonly jobs: number;
  /** The number of the last subscription that has got one. Registrations commit in the order of their numbers. */
  readonly upTo: number;
}

const NOTHING_YET: FanOutProgress = { jobs: 0, upTo: 0 };

interface SubscriptionRow {
  readonly number: number | string;
  readonly name: string;
  readonly queue: string;
  readonly priority: number | string;
}

/**
 * Stores the jobs of the next subscriptions of events, up to `MOST_JOBS` in all. Part of a transaction.
 *
 * Index: the rows of the events by primary key, under the fence; then the subscriptions by primary key, without locks,
 * once for all events of a name. If the process dies before the commit, nothing has happened. A second run goes on from
 * the stored progress.
 *
 * @returns the part of each event, in the given order.
 */
export function* fanOut(dialect: Dialect, events: readonly ClaimedJob[]): Operation<RunPart[]> {
  const locked = yield* lockRuns(dialect, events);
  const space = new PartSpace();
  const read = new Map<string, readonly SubscriptionRow[]>();
  const parts: RunPart[] = [];
  for (const [index, event] of events.entries()) {
    const run = locked[index]!;
    parts.push('state' in run ? run : yield* nextPart(dialect, event, run, space, read));
  }
  yield* storeParts(
    dialect,
    parts.filter((part): part is NewPart => 'run' in part),
  );
  return parts;
}

function* nextPart(
  dialect: Dialect,
  event: ClaimedJob,
  { progress }: LockedRun,
  space: PartSpace,
  read: Map<string, readonly SubscriptionRow[]>,
): Operation<RunPart | NewPart> {
  const { jobs: before, upTo } = (progress ?? NOTHING_YET) as FanOutProgress;
  const key = `${event.name} ${upTo}`;
  const rows = read.get(key) ?? (yield* nextSubscriptions(dialect, event.name, upTo));
  read.set(key, rows);
  const taken = rows.slice(0, space.take(event.payload, rows.length));
  if (taken.length === 0 && rows.length > 0) {
    // The next transaction has space for it.
    return { state: 'more', jobs: [] };
  }
  return {
    run: event,
    state: taken.length === rows.length && rows.length < MOST_JOBS ? 'done' : 'more',
    jobs: taken.map(({ name, queue, priority }) =>
      dueJob({ name: subscriptionJobName(event.name, name), queue, priority: Number(priority) }, event),
    ),
    progress: {
      jobs: before + taken.length,
      upTo: Number(taken.at(-1)?.number ?? upTo),
    } satisfies FanOutProgress,
  };
}

function nextSubscriptions({ tables }: Dialect, event: string, after: number): Operation<readonly SubscriptionRow[]> {
  return select<SubscriptionRow>(
    sql`SELECT number, name, queue, priority FROM ${tables.subscription}
        WHERE event = ${event} AND number > ${after} ORDER BY number LIMIT ${sql.integer(MOST_JOBS)}`,
  );
}

/** The space for jobs in one transaction. */
class PartSpace {
  private jobs = 0;
  private bytes = 0;

  /** Takes the space of up to so many jobs with a payload, and of one at least if there is none yet. */
  take(payload: string | null, wanted: number): number {
    const size = payload === null ? 1 : Buffer.byteLength(payload) + 1;
    const fitting = Math.min(wanted, MOST_JOBS - this.jobs, Math.floor((MOST_BYTES - this.bytes) / size));
    const taken = Math.max(fitting, Math.min(wanted, this.jobs === 0 ? 1 : 0));
    this.jobs += taken;
    this.bytes += taken * size;
    return taken;
  }
}
