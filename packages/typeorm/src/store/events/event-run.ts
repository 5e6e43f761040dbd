import { REPLAY_JOB } from '../../definition/event-queue.js';
import { newJobId } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { insertJobs } from '../base/jobs/insert-jobs.js';
import type { NewJob } from '../base/jobs/new-job.js';
import { fenced, keyOf } from '../base/locks/fence.js';
import { lockRunning } from '../base/locks/lock-running.js';
import { intoFinished } from '../base/order/lane.js';

/*
 * A run stores jobs in parts: the fan-out of an event, or a replay. One transaction stores the jobs of a part and, as
 * the progress of the run's own job, how far it is. Both are under the fence of the attempt, so each part is stored
 * once. After a crash, and when the answer to a COMMIT is lost, the run goes on from the stored progress.
 */

/** How many jobs a transaction of fan-outs stores at most. */
export const MOST_JOBS = 500;
/** How many bytes of payloads a transaction of fan-outs stores at most, unless it has a single job. */
export const MOST_BYTES = 4 * 1024 * 1024;

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

/** The row of a run is locked. Its progress is undefined if it begins. */
export interface LockedRun {
  readonly progress: unknown;
}

/**
 * Locks the rows of runs and reads their progress. Part of a transaction. Index: the primary key, in its order.
 *
 * @returns for each run in the given order, how its part has ended if there is nothing to do.
 */
export function* lockRuns(dialect: Dialect, runs: readonly ClaimedJob[]): Operation<(LockedRun | RunPart)[]> {
  const { rows, ended, busy } = yield* lockRunning(dialect, runs, (job) => job, 'skip', FENCE_AND_PROGRESS);
  return runs.map((run) => {
    const row = rows.get(keyOf(run));
    if (row !== undefined) {
      const text = row.progress as string | null;
      return { progress: text === null ? undefined : JSON.parse(text) };
    }
    // An earlier try of the last part, whose answer was lost, has ended it.
    return { state: ended.includes(run) ? 'done' : busy.includes(run) ? 'busy' : 'lost', jobs: [] };
  });
}

/** A part to store. */
export interface NewPart extends RunPart {
  readonly run: ClaimedJob;
  /** How far the run is with it. */
  readonly progress: object;
}

/**
 * Stores the jobs and the progress of parts, and ends each run with its last one. Part of a transaction, whose rows of
 * the runs are locked. Runs with the same progress share a statement.
 */
export function* storeParts(dialect: Dialect, parts: readonly NewPart[]): Operation<void> {
  const jobs = parts.flatMap((part) => part.jobs);
  if (jobs.length > 0) {
    yield* insertJobs(dialect, jobs);
  }
  const alike = groupBy(parts, ({ state, progress }) => `${state === 'done'} ${JSON.stringify(progress)}`);
  for (const some of alike.values()) {
    const [{ state, progress }] = some as [NewPart];
    const text = JSON.stringify(progress);
    const end = state === 'done' ? sql`, ${intoFinished(dialect, sql`'succeeded'`)}, result = ${text}` : sql.empty;
    const runs = some.map(({ run }) => run);
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET progress = ${text}${end}
          WHERE ${fenced(dialect, runs)}`,
    );
  }
}

/** What a subscription's job gets from its event. */
export type EventContent = Pick<ClaimedJob, 'payload' | 'payloadVersion' | 'trace'>;

/** Makes a job that is due now: that of a subscription for an event, or a replay. */
export function dueJob(
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

/** A condition: the job is a published event, and not a replay. */
export const IS_EVENT = sql`name <> ${REPLAY_JOB}`;
