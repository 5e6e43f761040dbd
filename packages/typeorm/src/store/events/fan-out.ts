import { subscriptionJobName } from '../../definition/event-queue.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { type RunPart, jobsPerPart, lockRun, storePart, subscriptionJob } from './event-run.js';

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
 * Stores the jobs of the next subscriptions of an event. Part of a transaction.
 *
 * Index: the row of the event by primary key, under the fence; then the subscriptions by primary key, without locks.
 * If the process dies before the commit, nothing has happened. A second run goes on from the stored progress.
 */
export function* fanOut(dialect: Dialect, event: ClaimedJob): Operation<RunPart> {
  const run = yield* lockRun(dialect, event);
  if ('state' in run) {
    return run;
  }
  const { jobs: before, upTo } = (run.progress ?? NOTHING_YET) as FanOutProgress;
  const most = jobsPerPart(event.payload);
  const rows = yield* select<SubscriptionRow>(
    sql`SELECT number, name, queue, priority FROM ${dialect.tables.subscription}
        WHERE event = ${event.name} AND number > ${upTo} ORDER BY number LIMIT ${sql.integer(most)}`,
  );
  const jobs = rows.map(({ name, queue, priority }) =>
    subscriptionJob({ name: subscriptionJobName(event.name, name), queue, priority: Number(priority) }, event),
  );
  const state = rows.length < most ? 'done' : 'more';
  const progress: FanOutProgress = { jobs: before + jobs.length, upTo: Number(rows.at(-1)?.number ?? upTo) };
  return yield* storePart(dialect, event, { state, jobs }, progress);
}
