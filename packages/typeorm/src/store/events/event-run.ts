import { REPLAY_JOB } from '../../definition/event-queue.js';
import { newJobId } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { fenced } from '../base/locks/fence.js';
import { lockRunning } from '../base/locks/lock-running.js';
import { intoFinished } from '../base/order/lane.js';

/*
 * A run stores jobs in parts: the fan-out of an event, or a replay. One transaction stores the jobs of a part and, as
 * the progress of the run's own job, how far it is. Both are under the fence of the attempt, so each part is stored
 * once. After a crash, and when the answer to a COMMIT is lost, the run goes on from the stored progress.
 */

/** How many jobs one part stores at most. */
export const MOST_JOBS = 500;
/** How many bytes of payloads one part stores at most, unless it has a single job. */
const MOST_BYTES = 4 * 1024 * 1024;

/** How a part has ended. */
export interface RunPart {
  /**
   * - `more`: there are more parts.
   * - `done`: it was the last part, and the run's job has succeeded.
   * - `waits`: there may be more to do later.
   * - `busy`: another transaction has locked the row of the run.
   * - `lost`: another worker has the run.
   * - `unsubscribed`: its subscription does not exist.
   */
  readonly state: 'more' | 'done' | 'waits' | 'busy' | 'lost' | 'unsubscribed';
  /** The jobs that it has stored. */
  readonly jobs: readonly NewJob[];
}

const FENCE_AND_PROGRESS = sql`id, owner, attempt, progress`;

/**
 * Locks the row of a run and reads its progress. Part of a transaction. Index: the primary key.
 *
 * @returns undefined as the progress of a run that begins; how the part has ended if there is nothing to do.
 */
export function* lockRun(dialect: Dialect, run: ClaimedJob): Operation<{ readonly progress: unknown } | RunPart> {
  const { rows, ours, ended, busy } = yield* lockRunning(dialect, [run], (job) => job, 'skip', FENCE_AND_PROGRESS);
  if (ours.length === 0) {
    // An earlier try of the last part, whose answer was lost, has ended it.
    return { state: ended.length > 0 ? 'done' : busy.length > 0 ? 'busy' : 'lost', jobs: [] };
  }
  const [row] = rows.values();
  const text = row?.progress as string | null | undefined;
  return { progress: typeof text === 'string' ? JSON.parse(text) : undefined };
}

/**
 * Stores the jobs and the progress of a part, and ends the run with the last one. Part of a transaction, whose row of
 * the run is locked.
 */
export function* storePart(
  dialect: Dialect,
  run: ClaimedJob,
  { state, jobs }: RunPart,
  progress: object,
): Operation<RunPart> {
  if (jobs.length > 0) {
    yield* insertJobs(dialect, jobs);
  }
  const text = JSON.stringify(progress);
  const end: Fragment =
    state === 'done' ? sql`, ${intoFinished(dialect, sql`'succeeded'`)}, result = ${text}` : sql.empty;
  yield* change(
    sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET progress = ${text}${end}
        WHERE ${fenced(dialect, [run])}`,
  );
  return { state, jobs };
}

/** What a subscription's job gets from its event. */
export type EventContent = Pick<ClaimedJob, 'payload' | 'payloadVersion' | 'trace'>;

/** Makes the job of a subscription for an event. */
export function subscriptionJob(
  target: { readonly name: string; readonly queue: string; readonly priority: number },
  { payload, payloadVersion, trace }: EventContent,
): NewJob {
  const { name, queue, priority } = target;
  return {
    id: newJobId(),
    name,
    queue,
    priority,
    payload,
    payloadVersion,
    key: null,
    due: { delay: 0 },
    unique: null,
    order: null,
    tenant: null,
    trace: trace ?? undefined,
  };
}

/** How many copies of a payload one part stores. */
export function jobsPerPart(payload: string | null): number {
  const bytes = payload === null ? 0 : Buffer.byteLength(payload);
  return Math.max(1, Math.min(MOST_JOBS, Math.floor(MOST_BYTES / (bytes + 1))));
}

/** A condition: the job is a published event, and not a replay. */
export const IS_EVENT = sql`name <> ${REPLAY_JOB}`;
