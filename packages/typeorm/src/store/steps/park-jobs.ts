import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import { WITHOUT_EXPIRY } from '../base/jobs/has-expired.js';
import { MOST_IDS, type Measure, chunksBySize, chunksOf } from '../base/chunks.js';
import { storeErrors } from '../base/jobs/attempt-errors.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { fenced } from '../base/locks/fence.js';
import { FENCE_AND_START, lockRunning } from '../base/locks/lock-running.js';
import { INTO_READY_LANE, intoWaiting } from '../base/order/lane.js';
import { countSignals } from '../base/steps/signal-keys.js';
import type { Due, WaitRow } from '../base/steps/step-row.js';
import { upsertWaits } from '../base/steps/upsert-waits.js';
import { forgetLostChildren } from './forget-lost-children.js';

/** How many jobs one UPDATE changes: see `reschedule-jobs.ts`. */
const JOBS_PER_UPDATE = 100;
/** What a job takes in a statement beside its text. */
const JOB_BYTES = 160;

/** A job that waits, with all its open waits. */
export interface ParkedJob {
  readonly job: ClaimedJob;
  readonly waits: readonly WaitRow[];
  /** The errors of steps that are tried again, as text; null without any. */
  readonly error: string | null;
  /** JSON text of the last progress that is not stored yet; null keeps the one that the row has. */
  readonly progress: string | null;
}

/** The result of parking jobs. Those in neither list are lost to another worker. */
export interface ParkedJobs {
  readonly parked: readonly ParkedJob[];
  /** Another transaction has locked them: try again later. */
  readonly busy: readonly ParkedJob[];
}

/**
 * running → scheduled, until the first of the job's waits is due; or waiting, if none has a time. A job for which a
 * signal has come meanwhile, or whose children are lost, becomes ready.
 *
 * Part of a transaction. Index: the primary keys. Locks: the jobs' rows, in the order of their ids, before the rest.
 * The signals are read after that. A process that has committed a signal locks the same row and looks for a wait, see
 * `offer-signals.ts`. So either this finds the signal, or that finds the wait.
 *
 * If the process dies before the commit, the reaper returns the jobs. If it is repeated after the connection broke,
 * jobs that the first try has parked count as lost.
 */
export function* parkJobs(dialect: Dialect, jobs: readonly ParkedJob[]): Operation<ParkedJobs> {
  const { ours, rows, busy } = yield* lockRunning(dialect, jobs, ({ job }) => job, 'skip', FENCE_AND_START);
  const signalled = yield* findSignalled(dialect, ours);
  const lost = yield* forgetLostChildren(
    dialect,
    ours.filter((each) => !signalled.has(each)).flatMap(({ waits }) => waits),
  );
  yield* upsertWaits(
    dialect,
    ours.flatMap(({ waits }) => waits.filter((wait) => !lost.has(wait))),
  );
  yield* storeProgress(
    dialect,
    ours.filter(({ progress }) => progress !== null),
  );
  const kindOf = (each: ParkedJob) => {
    const isReady = signalled.has(each) || each.waits.some((wait) => lost.has(wait));
    return isReady ? 'ready' : each.waits.some(({ due }) => due !== null) ? 'scheduled' : 'waiting';
  };
  for (const [kind, alike] of groupBy(ours, kindOf)) {
    for (const chunk of chunksOf(alike, JOBS_PER_UPDATE)) {
      yield* change(
        sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET ${assignmentsOf(dialect, kind, chunk)}, ${WITHOUT_EXPIRY}, crashes = 0
            WHERE ${fenced(
              dialect,
              chunk.map(({ job }) => job),
            )}`,
      );
    }
  }
  yield* storeErrors(
    dialect,
    ours.flatMap(({ job, error }) => (error === null ? [] : [{ job, error }])),
    rows,
  );
  return { parked: ours, busy };
}

/** Index: the primary key. The rows are locked. */
function* storeProgress(dialect: Dialect, jobs: readonly ParkedJob[]): Operation<void> {
  const bytesOf = ({ progress }: ParkedJob, measure: Measure) => JOB_BYTES + measure(progress);
  for (const chunk of chunksBySize(dialect, jobs, JOBS_PER_UPDATE, bytesOf)) {
    const cases = chunk.map(({ job, progress }) => sql`WHEN ${job.id} THEN ${progress}`);
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey} SET progress = CASE id ${sql.join(cases, sql` `)} END
          WHERE ${fenced(
            dialect,
            chunk.map(({ job }) => job),
          )}`,
    );
  }
}

/** The jobs for which a signal is there. */
function* findSignalled(dialect: Dialect, jobs: readonly ParkedJob[]): Operation<ReadonlySet<ParkedJob>> {
  const awaiting = jobs.filter(({ waits }) => waits.some(({ awaits }) => awaits !== null));
  const found = new Set<ParkedJob>();
  for (const chunk of chunksOf(awaiting, MOST_IDS)) {
    const rows = yield* countSignals(
      dialect,
      chunk.map(({ job }) => job.id),
    );
    for (const each of chunk) {
      const isComplete = (signal: string, signals: number) =>
        each.waits.some(({ awaits, needs = 1 }) => awaits === signal && signals >= needs);
      if (rows.some(({ job_id: id, name, signals }) => id.equals(each.job.id) && isComplete(name, Number(signals)))) {
        found.add(each);
      }
    }
  }
  return found;
}

function assignmentsOf(dialect: Dialect, kind: string, jobs: readonly ParkedJob[]): Fragment {
  if (kind === 'ready') {
    return INTO_READY_LANE;
  }
  if (kind === 'waiting') {
    return intoWaiting(dialect);
  }
  const cases = jobs.map(({ job, waits }) => sql`WHEN ${job.id} THEN ${earliestOf(dialect.now, waits)}`);
  const runAt = sql`CASE id ${sql.join(cases, sql` `)} END`;
  return sql`state = 'scheduled', owner = 0, lane = 0, position = ${runAt}, run_at = ${runAt}`;
}

function earliestOf(now: Fragment, waits: readonly WaitRow[]): Fragment {
  const dues = waits.flatMap(({ due }) => (due === null ? [] : [due]));
  const delay = Math.min(...dues.map((due) => ('delay' in due ? due.delay : Infinity)));
  const at = Math.min(...dues.map((due: Due) => ('at' in due ? due.at : Infinity)));
  if (at === Infinity) {
    return sql`${now} + ${delay}`;
  }
  return delay === Infinity
    ? sql`${at}`
    : sql`CASE WHEN ${now} + ${delay} < ${at} THEN ${now} + ${delay} ELSE ${at} END`;
}
