import { EVENTS_QUEUE, subscriptionJobName } from '../../definition/event-queue.js';
import { BEFORE_ALL_IDS, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { sortKeyCondition } from '../base/order/sort-key-condition.js';
import type { SortKey } from '../base/order/sort-key.js';
import { IS_EVENT, type LockedRun, type RunPart, dueJob, lockRuns, storeParts } from './event-run.js';
import type { FanOutProgress } from './fan-out.js';

/** What a replay does: the payload of its job. Times in ms. */
export interface Replay {
  readonly event: string;
  readonly subscription: string;
  /** From when on. `ago`: before the replay was stored. */
  readonly from: { readonly at: number } | { readonly ago: number };
  /** Before which time; null for all events that have ended when the replay has read the others. */
  readonly to: number | null;
  /** Only events that have left out this number of a subscription; null for all. */
  readonly leftOut: number | null;
}

/** How far a replay is. */
interface ReplayProgress {
  readonly jobs: number;
  /** The last event that it has read. */
  readonly position: number;
  readonly id: string;
  /** When it started, by the database's clock. */
  readonly startedAt: number;
  /** Before which time it reads events, once that is known. */
  readonly to: number | null;
}

/** How many events one part reads. */
const EVENTS_PER_PART = 200;

/**
 * Stores the jobs of one subscription for the next events that have ended. Part of a transaction.
 *
 * Events are read in the order of their ends. An event whose end commits late counts as running until then, since
 * before its end: so no part reads past the earliest claim of a running event.
 *
 * Index: the row of the replay by primary key, under the fence; then the succeeded jobs of the events' queue and the
 * running ones, without locks. A second run goes on from the stored progress.
 */
export function* replayEvents(dialect: Dialect, job: ClaimedJob, replay: Replay): Operation<RunPart> {
  const [run] = (yield* lockRuns(dialect, [job])) as [LockedRun | RunPart];
  if ('state' in run) {
    return run;
  }
  const target = yield* findTarget(dialect, replay);
  if (!target) {
    return { state: 'unsubscribed', jobs: [] };
  }
  const { now, busySince } = yield* readTimes(dialect);
  const progress = (run.progress ?? beginning(job, replay, now)) as ReplayProgress;
  // Events that ran when it started have ended, with those whose end was not committed.
  const to = progress.to ?? (busySince > progress.startedAt ? now : null);
  const before = Math.min(to ?? now, busySince, now);
  const page = yield* readPage(dialect, { position: progress.position, id: uuidToBytes(progress.id) }, before);
  const jobs = yield* jobsFor(dialect, page, replay, target);
  const last = page.at(-1);
  const isLastPage = page.length < EVENTS_PER_PART;
  const state = !isLastPage ? 'more' : to !== null && before >= to ? 'done' : 'waits';
  const reached: ReplayProgress = {
    ...progress,
    to,
    jobs: progress.jobs + jobs.length,
    ...(last && { position: Number(last.position), id: uuidFromBytes(last.id) }),
  };
  yield* storeParts(dialect, [{ run: job, state, jobs, progress: reached }]);
  return { state, jobs };
}

function beginning({ createdAt }: ClaimedJob, { from, to }: Replay, startedAt: number): ReplayProgress {
  const position = 'at' in from ? from.at : createdAt - from.ago;
  return { jobs: 0, position, id: uuidFromBytes(BEFORE_ALL_IDS), startedAt, to };
}

interface Target {
  readonly name: string;
  readonly queue: string;
  readonly priority: number;
}

function* findTarget({ tables }: Dialect, { event, subscription, leftOut }: Replay): Operation<Target | undefined> {
  const [row] = yield* select<{ number: number | string; queue: string; priority: number | string }>(
    sql`SELECT number, queue, priority FROM ${tables.subscription} WHERE event = ${event} AND name = ${subscription}`,
  );
  // Registered again since then, it reads what it wants in a replay of its own.
  return row === undefined || (leftOut !== null && Number(row.number) !== leftOut)
    ? undefined
    : { name: subscriptionJobName(event, subscription), queue: row.queue, priority: Number(row.priority) };
}

/** The present time, and since when the event that has run longest is running; Infinity if none is. */
function* readTimes(dialect: Dialect): Operation<{ readonly now: number; readonly busySince: number }> {
  const [row] = yield* select<{ present: number | string; busy: number | string | null }>(
    sql`SELECT ${dialect.now} AS present,
          (SELECT MIN(claimed_at) FROM ${dialect.tables.job} ${dialect.byLane}
           WHERE queue = ${EVENTS_QUEUE} AND state = 'running' AND ${IS_EVENT}) AS busy`,
  );
  const busy = row?.busy;
  return { now: Number(row?.present), busySince: busy === null || busy === undefined ? Infinity : Number(busy) };
}

interface PageRow {
  readonly id: Buffer;
  readonly position: number | string;
}

function readPage(dialect: Dialect, after: SortKey, before: number): Operation<readonly PageRow[]> {
  return select<PageRow>(
    sql`SELECT id, position FROM ${dialect.tables.job} ${dialect.byLane}
        WHERE queue = ${EVENTS_QUEUE} AND state = 'succeeded' AND lane = 0
          AND ${sortKeyCondition(dialect, '>', after)} AND position < ${before}
        ORDER BY position, id LIMIT ${sql.integer(EVENTS_PER_PART)}`,
  );
}

interface EventRow {
  readonly id: Buffer;
  readonly payload: string | null;
  readonly payload_version: number | string;
  readonly trace: string | null;
  readonly result: string | null;
}

function* jobsFor(
  dialect: Dialect,
  page: readonly PageRow[],
  { event, leftOut }: Replay,
  target: Target,
): Operation<readonly NewJob[]> {
  if (page.length === 0) {
    return [];
  }
  const rows = yield* select<EventRow>(
    sql`SELECT id, payload, payload_version, trace, result FROM ${dialect.tables.job} ${dialect.byPrimaryKey}
        WHERE id IN (${sql.list(page.map(({ id }) => id))}) AND name = ${event}`,
  );
  const order = new Map(page.map(({ id }, index) => [id.toString('hex'), index]));
  const indexOf = ({ id }: EventRow) => order.get(id.toString('hex')) ?? 0;
  return rows
    .filter(({ result }) => leftOut === null || upToOf(result) < leftOut)
    .sort((a, b) => indexOf(a) - indexOf(b))
    .map(({ payload, payload_version: version, trace }) =>
      dueJob(target, { payload, payloadVersion: Number(version), trace }),
    );
}

/** The number of the last subscription that has got an event. */
function upToOf(result: string | null): number {
  return result === null ? 0 : (JSON.parse(result) as FanOutProgress).upTo;
}
