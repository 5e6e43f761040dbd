import type { QueryRunner } from 'typeorm';

import type { Dialect } from '../../engine/dialect.js';
import type { Engine, TransactionEnd } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { queryOn } from '../../engine/through-query-runner.js';
import { isDatabaseUnavailable } from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { deleteJobs } from '../../store/complete/delete-jobs.js';
import { finishJobs } from '../../store/complete/finish-jobs.js';
import type { Finished } from '../../store/complete/finish-with-keys.js';
import type { AttemptTimer } from './attempt-timer.js';
import { toError } from '../completing/error-text.js';
import type { SingleJobHandler } from '../handlers/job-handler.js';
import type { Attempt } from './attempt.js';
import { RESCHEDULED, type AttemptResult, type SucceededOutcome } from '../completing/outcome.js';
import type { OutcomePolicy } from './outcome-policy.js';
import type { ProgressWriter } from './progress-writer.js';
import { retryWhileLocked } from '../completing/retry-while-locked.js';

/**
 * Marks the beginning of a transactional handler's transaction. If it is gone, the transaction has ended: a deadlock
 * rolls it back, DDL commits it, and the handler may have caught the error. Later statements would then commit one by
 * one.
 */
const SAVEPOINT = sql`tablequeue_start`;

/** Runs transactional handlers, each in a transaction of the application that also completes its job. */
export class TransactionalAttempts {
  constructor(
    private readonly application: Engine,
    private readonly policy: OutcomePolicy,
    private readonly progress: Pick<ProgressWriter, 'deferInTransaction' | 'lastProgress'>,
    private readonly logger: QueueLogger,
  ) {}

  /**
   * Completes the job last, with its fence, so its row is locked only during the commit. If the process dies before,
   * the transaction is rolled back; if another worker has the job, the fence matches no row and it is rolled back too.
   *
   * The timeout covers only the handler: not the wait for a connection, for other transactions on SQLite, or for a
   * unique key at the end. If the transaction cannot begin, or the database is away when it ends, nothing has happened:
   * the job is rescheduled and no failure is counted.
   *
   * @throws what the handler threw, or why the transaction could not end.
   */
  async run(
    handler: SingleJobHandler,
    payload: unknown,
    job: ClaimedJob,
    attempt: Attempt,
    timer: AttemptTimer | undefined,
  ): Promise<AttemptResult> {
    timer?.stop();
    let stage = 'begin' as 'begin' | 'handle' | 'end';
    let end: TransactionEnd;
    try {
      await this.progress.deferInTransaction(job);
      end = await this.application.transact(async (queryRunner) => {
        assertNotAborted(attempt);
        attempt.manager = queryRunner.manager;
        await queryOn(queryRunner, sql`SAVEPOINT ${SAVEPOINT}`);
        stage = 'handle';
        const result = await handleInTime(handler, payload, attempt, timer);
        stage = 'end';
        const outcome = this.policy.afterSuccess(handler.definition, job, result);
        await queryOn(queryRunner, sql`RELEASE SAVEPOINT ${SAVEPOINT}`);
        return this.finishOn(queryRunner, job, attempt, outcome);
      });
    } catch (error) {
      const hasDatabaseFailed = stage === 'begin' || (stage === 'end' && isDatabaseUnavailable(error));
      if (!hasDatabaseFailed || attempt.abortReason !== undefined) {
        throw error;
      }
      logError(this.logger, `The transaction of a job "${job.name}" could not ${stage}; the job runs later`, error);
      return RESCHEDULED;
    }
    if (typeof end === 'string') {
      return { kind: 'committed', isOurs: end === 'committed' };
    }
    const { keep, retry } = handler.definition;
    return { kind: 'uncertain', keep, ifRolledBack: this.policy.afterError(job, retry, toError(end.unknown), attempt) };
  }

  /** @returns whether the job was still this worker's. */
  private async finishOn(
    queryRunner: QueryRunner,
    job: ClaimedJob,
    attempt: Attempt,
    outcome: SucceededOutcome,
  ): Promise<boolean> {
    const finish = (dialect: Dialect): Operation<Finished<unknown>> =>
      outcome.keep === 'none'
        ? deleteJobs(dialect, [job], () => false, 'wait')
        : finishJobs(
            dialect,
            [
              {
                job,
                state: 'succeeded',
                result: outcome.result,
                error: outcome.resultError,
                // Not taken: if the transaction is rolled back, the progress must still be stored.
                progress: this.progress.lastProgress(job),
              },
            ],
            'wait',
          );
    const complete = async () => {
      const { finished, busy } = await this.application.executeOn(queryRunner, finish, 'finish a job');
      return busy.length > 0 ? 'busy' : finished.length > 0;
    };
    const isOurs = await complete();
    return isOurs === 'busy' ? retryWhileLocked(complete, () => assertNotAborted(attempt)) : isOurs;
  }
}

/** A handler that returns after its timeout has failed already, so its transaction must not complete the job. */
async function handleInTime(
  handler: SingleJobHandler,
  payload: unknown,
  attempt: Attempt,
  timer: AttemptTimer | undefined,
): Promise<unknown> {
  timer?.start();
  try {
    return await handler.handle(payload, attempt);
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
