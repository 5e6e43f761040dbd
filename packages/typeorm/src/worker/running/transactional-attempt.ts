import type { Dialect } from '../../engine/dialect.js';
import type { Engine, TransactionEnd } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { queryOn } from '../../engine/through-query-runner.js';
import { isDatabaseUnavailable } from '../../errors/index.js';
import { toError } from '../../errors/thrown.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { deleteJobs } from '../../store/complete/delete-jobs.js';
import { finishJobs } from '../../store/complete/finish-jobs.js';
import type { Finished } from '../../store/complete/finish-with-keys.js';
import type { AttemptTimer } from './attempt-timer.js';
import type { SingleJobHandler } from '../handlers/job-handler.js';
import type { Attempt } from './attempt.js';
import { RESCHEDULED, type AttemptResult, type SucceededOutcome } from '../completing/outcome.js';
import { encodeOutcome } from '../completing/encode-outcome.js';
import type { OutcomeSettings } from '../completing/outcome-settings.js';
import { outcomeOfError, outcomeOfResult } from './outcome-policy.js';
import type { ProgressWriter } from '../completing/progress-writer.js';
import { retryWhileLocked } from '../completing/retry-while-locked.js';

/**
 * Marks the beginning of a transactional handler's transaction. If it is gone, the transaction has ended: a deadlock
 * rolls it back, DDL commits it, and the handler may have caught the error. Later statements would then commit one by
 * one.
 */
const SAVEPOINT = sql`tablequeue_start`;

/** What transactional attempts work with. */
export interface TransactionalDependencies {
  /** The engine of the application's data source. */
  readonly application: Engine;
  readonly progress: ProgressWriter;
  readonly outcomes: OutcomeSettings;
  /** Receives the errors of transactions that could not begin or end. */
  readonly outcomeLogger: QueueLogger;
}

/**
 * Runs a transactional handler in a transaction of the application that also completes its job.
 *
 * Completes the job last, with its fence, so its row is locked only during the commit. If the process dies before, the
 * transaction is rolled back; if another worker has the job, the fence matches no row and it is rolled back too.
 *
 * The timeout covers only the handler: not the wait for a connection, for other transactions on SQLite, or for a unique
 * key at the end. If the transaction cannot begin, or the database is away when it ends, nothing has happened: the job
 * is rescheduled and no failure is counted.
 *
 * @throws what the handler threw, or why the transaction could not end.
 */
export async function runInTransaction(
  { application, progress, outcomes, outcomeLogger }: TransactionalDependencies,
  { definition, handle }: SingleJobHandler,
  payload: unknown,
  job: ClaimedJob,
  attempt: Attempt,
  timer: AttemptTimer | undefined,
): Promise<AttemptResult> {
  timer?.stop();
  let stage = 'begin' as 'begin' | 'handle' | 'end';
  let end: TransactionEnd;
  try {
    end = await application.transact(async (queryRunner) => {
      assertNotAborted(attempt);
      attempt.manager = queryRunner.manager;
      await queryOn(queryRunner, sql`SAVEPOINT ${SAVEPOINT}`);
      stage = 'handle';
      const result = await inTime(timer, () => handle(payload, attempt));
      stage = 'end';
      const outcome = outcomeOfResult(outcomes, definition, result);
      // Not taken: if the transaction is rolled back, the progress must still be stored.
      const lastProgress = progress.lastProgress(job);
      const encoder = outcomes.codecs.encoderFor(definition);
      const stored = encoder
        ? await encodeOutcome(outcomes, encoder, job.name, outcome, lastProgress)
        : { outcome, progress: lastProgress };
      await queryOn(queryRunner, sql`RELEASE SAVEPOINT ${SAVEPOINT}`);
      const finish = finishOf(job, stored.outcome, stored.progress);
      const complete = async () => {
        const { finished, busy } = await application.executeOn(queryRunner, finish, 'finish a job');
        return busy.length > 0 ? 'busy' : finished.length > 0;
      };
      const isOurs = await complete();
      return isOurs === 'busy' ? retryWhileLocked(complete, () => assertNotAborted(attempt)) : isOurs;
    });
  } catch (error) {
    const hasDatabaseFailed = stage === 'begin' || (stage === 'end' && isDatabaseUnavailable(error));
    if (!hasDatabaseFailed || attempt.abortReason !== undefined) {
      throw error;
    }
    logError(outcomeLogger, `The transaction of a job "${job.name}" could not ${stage}; the job runs later`, error);
    return RESCHEDULED;
  }
  if (typeof end === 'string') {
    return { kind: 'committed', isOurs: end === 'committed' };
  }
  // A COMMIT that was given up has no failure of the handler to count.
  const ifRolledBack =
    isDatabaseUnavailable(end.unknown) && attempt.abortReason === undefined
      ? RESCHEDULED
      : outcomeOfError(outcomes, definition, job, attempt, end.unknown);
  return { kind: 'uncertain', keep: definition.keep, ifRolledBack };
}

function finishOf(
  job: ClaimedJob,
  outcome: SucceededOutcome,
  progress: string | null,
): (dialect: Dialect) => Operation<Finished<unknown>> {
  if (outcome.keep === 'none') {
    return (dialect) => deleteJobs(dialect, [job], () => false, 'wait');
  }
  const { result, resultError: error } = outcome;
  return (dialect) => finishJobs(dialect, [{ job, state: 'succeeded', result, error, progress }], 'wait');
}

/** A handler that returns after its timeout has failed already, so its transaction must not complete the job. */
async function inTime(timer: AttemptTimer | undefined, handle: () => unknown): Promise<unknown> {
  timer?.start();
  try {
    return await handle();
  } catch (thrown) {
    // What runs on the way to the rollback must not stumble over a value that is no error.
    throw toError(thrown);
  } finally {
    timer?.stop();
    timer?.assertInTime();
  }
}

/** Ends an attempt that was cancelled or lost before its transaction could begin or end. */
function assertNotAborted({ abortReason }: Attempt): void {
  if (abortReason !== undefined) {
    throw abortReason;
  }
}
