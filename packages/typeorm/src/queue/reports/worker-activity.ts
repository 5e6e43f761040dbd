import { mapConcurrently } from '../../async/map-concurrently.js';
import type { Codecs } from '../../codec/codecs.js';
import { uuidFromBytes } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { JobSummary } from '../../store/reports/find-jobs.js';
import { findSummaries } from '../../store/reports/find-summaries.js';
import { findRunning } from '../../store/workers/find-running.js';
import type { RegisteredWorker, WorkerIdentity } from '../../store/workers/find-workers.js';
import { decodeSummaries } from '../jobs/decode-jobs.js';

/** What was requested of a worker. It follows with its next renewal, within a third of its lease. */
export interface WorkerRequestState {
  /** `quiet`: to claim no more jobs. `stop`: to end. */
  readonly action: 'quiet' | 'stop';
  /** Who requested it; undefined if `by` was not given. */
  readonly by: string | undefined;
  /** When it was requested. */
  readonly at: Date;
}

/** A time in which a process ran no callbacks. */
export interface EventLoopBlock {
  /** When the worker reported it: up to a third of its lease later. */
  readonly reportedAt: Date;
  /** Its length, in ms. */
  readonly duration: number;
}

/** A registered worker. Times are by the database's clock. */
export interface WorkerActivity extends WorkerIdentity {
  /** When it was started. */
  readonly startedAt: Date;
  /** When it last renewed its lease. */
  readonly seenAt: Date;
  /** When its lease ends. In the past if it is dead and the reaper has not run yet. */
  readonly leaseEndsAt: Date;
  /** What `queue.control` has requested of it; undefined for nothing, and after `resumeWorker`. */
  readonly request: WorkerRequestState | undefined;
  /** The last block of its event loop of more than a third of the lease, and more than a second. */
  readonly lastBlock: EventLoopBlock | undefined;
  /** The number of its running jobs. */
  readonly runningCount: number;
  /** Up to `jobs` of its running jobs, the longest running first. */
  readonly running: readonly JobSummary[];
}

/**
 * Reads the running jobs of workers.
 *
 * @param most how many of each worker.
 */
export async function readWorkerActivity(
  engine: Engine,
  codecs: Codecs,
  workers: readonly RegisteredWorker[],
  most: number,
): Promise<WorkerActivity[]> {
  const found = await executeRead(engine, 'find running jobs', function* (dialect) {
    const running = yield* findRunning(dialect, new Set(workers.map(({ id }) => id)), most);
    const ids = [...running.values()].flatMap((own) => own.ids);
    return { running, jobs: yield* findSummaries(dialect, ids) };
  });
  return mapConcurrently(workers, 1, async (worker) => {
    const { count = 0, ids = [] } = found.running.get(worker.id) ?? {};
    const jobs = ids.flatMap((id) => found.jobs.get(uuidFromBytes(id)) ?? []);
    return { ...toActivity(worker), runningCount: count, running: await decodeSummaries(codecs, jobs) };
  });
}

function toActivity({
  startedAt,
  seenAt,
  leaseUntil,
  leaseLeft: _leaseLeft,
  requested,
  requestedBy,
  requestedAt,
  blockedAt,
  blockedAgo: _blockedAgo,
  blockedFor,
  ...worker
}: RegisteredWorker): Omit<WorkerActivity, 'runningCount' | 'running'> {
  return {
    ...worker,
    startedAt: new Date(startedAt),
    seenAt: new Date(seenAt),
    leaseEndsAt: new Date(leaseUntil),
    request:
      requested === 'work'
        ? undefined
        : { action: requested, by: requestedBy ?? undefined, at: new Date(requestedAt ?? 0) },
    lastBlock: blockedAt === null ? undefined : { reportedAt: new Date(blockedAt), duration: blockedFor ?? 0 },
  };
}
