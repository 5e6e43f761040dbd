import type { QueryRunner } from 'typeorm';

import type { Dialect } from '../../engine/dialect.js';
import type { Engine, TransactionEnd } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import { isDatabaseUnavailable } from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
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
 * Stands at the beginning of a transactional handler's transaction. When it is gone, so is the transaction: a deadlock
 * ends it, DDL commits it, and what follows would be committed statement by statement. A handler may have caught that.
 */
const BEGINNING = 'tablequeue_beginning';

/** Runs transactional handlers, each in a transaction of the application's that also ends its job. */
export class TransactionalRuns {
  /** @param application the engine on the application's connections. */
  constructor(
    private readonly application: Engine,
    private readonly rules: OutcomePolicy,
    private readonly progress: Pick<ProgressWriter, 'keepBackInTransaction' | 'last'>,
    private readonly logger: QueueLogger,
  ) {}

  /**
   * The job is ended last, under its fence, so its row is locked for the length of the commit only. Where the process
   * dies before that, nothing has happened; a run whose job was taken over finds nothing to end and is rolled back.
   *
   * Only the handler's own time is measured: how long the transaction waits for a connection, on SQLite for the other
   * transactions, and at its end for a unique key, says nothing of the handler.
   *
   * Where the transaction cannot begin, or the database is away when it is to end, nothing has happened and nothing is
   * charged: the job is put off.
   *
   * @throws what the handler has thrown, and why the transaction could not be ended.
   */
  async run(
    handler: SingleJobHandler,
    payload: unknown,
    job: ClaimedJob,
    run: Attempt,
    timer: AttemptTimer | undefined,
  ): Promise<AttemptResult> {
    timer?.stop();
    let stage = 'begins' as 'begins' | 'handles' | 'ends';
    let end: TransactionEnd;
    try {
      await this.progress.keepBackInTransaction(job);
      end = await this.application.transact(async (queryRunner) => {
        assertNotAborted(run);
        run.manager = queryRunner.manager;
        await queryRunner.query(`SAVEPOINT ${BEGINNING}`);
        stage = 'handles';
        const result = await handleInTime(handler, payload, run, timer);
        stage = 'ends';
        const outcome = this.rules.afterSuccess(handler.definition, job, result);
        await queryRunner.query(`RELEASE SAVEPOINT ${BEGINNING}`);
        return this.finishOn(queryRunner, job, run, outcome);
      });
    } catch (error) {
      const isNotItsFault = stage === 'begins' || (stage === 'ends' && isDatabaseUnavailable(error));
      if (!isNotItsFault || run.abortReason !== undefined) {
        throw error;
      }
      logError(
        this.logger,
        `The transaction of a job "${job.name}" could not ${stage === 'begins' ? 'begin' : 'end'}`,
        error,
      );
      return RESCHEDULED;
    }
    if (typeof end === 'string') {
      return { kind: 'committed', isOurs: end === 'committed' };
    }
    const { keep, retry } = handler.definition;
    return { kind: 'in doubt', keep, otherwise: this.rules.afterError(job, retry, toError(end.unknown), run) };
  }

  /** @returns whether the job was still this worker's. */
  private async finishOn(
    queryRunner: QueryRunner,
    job: ClaimedJob,
    run: Attempt,
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
                error: outcome.note,
                // Not taken: where the transaction is rolled back it is still to be written down.
                progress: this.progress.last(job),
              },
            ],
            'wait',
          );
    const attempt = async () => {
      const { finished, busy } = await this.application.executeOn(queryRunner, finish, 'finish a job');
      return busy.length > 0 ? 'busy' : finished.length > 0;
    };
    const isOurs = await attempt();
    return isOurs === 'busy' ? retryWhileLocked(attempt, () => assertNotAborted(run)) : isOurs;
  }
}

/** A handler that returns after its time has failed already, so its transaction must not end the job. */
async function handleInTime(
  handler: SingleJobHandler,
  payload: unknown,
  run: Attempt,
  timer: AttemptTimer | undefined,
): Promise<unknown> {
  timer?.start();
  try {
    return await handler.handle(payload, run);
  } finally {
    timer?.stop();
    timer?.assertInTime();
  }
}

/** Nobody waits any more for a run that was cancelled or lost before its transaction could begin or end. */
function assertNotAborted({ abortReason }: Attempt): void {
  if (abortReason !== undefined) {
    throw abortReason;
  }
}
