import type { EntityManager } from 'typeorm';

import type { TransactionEnd } from '../../engine/engine.js';
import { sql } from '../../engine/sql.js';
import { queryOn } from '../../engine/through-query-runner.js';
import { isDatabaseUnavailable } from '../../errors/index.js';
import { toError } from '../../errors/thrown.js';
import { type RecordedStep, recordSteps } from '../../store/steps/record-steps.js';
import type { DurableRun } from './durable-run.js';
import type { RowFields } from './run-rows.js';

/** If it is gone, the transaction has ended, and the step may have caught the error: see `transactional-attempt.ts`. */
const SAVEPOINT = sql`tablequeue_step`;

/** How a transaction of a step has ended. `rolled back`: the database was away, and nothing has happened. */
export type RecordedEnd = { readonly kind: 'stored' } | { readonly kind: 'rolled back'; readonly error: unknown };

/**
 * Runs work in a transaction of the application that also stores a row of the job.
 *
 * The row is stored last, under the fence, so the row of the job is locked only during the commit. If another worker
 * has the job, the fence matches no row and everything is rolled back. After a COMMIT without an answer the row shows
 * whether it took effect.
 *
 * @param seq the number of the row, which is reserved.
 * @param work returns the row; what it throws rolls back.
 * @throws what `work` throws; LeaseLostError.
 */
export async function recordInTransaction(
  run: DurableRun,
  seq: number,
  work: (manager: EntityManager) => Promise<RowFields>,
): Promise<RecordedEnd> {
  const { application, recorder } = run.dependencies;
  let stage = 'begin' as 'begin' | 'work' | 'end';
  let row: RecordedStep | undefined;
  let end: TransactionEnd;
  try {
    end = await application.transact(async (queryRunner) => {
      run.assertNotAborted();
      await queryOn(queryRunner, sql`SAVEPOINT ${SAVEPOINT}`);
      stage = 'work';
      row = run.rows.prepare(await work(queryRunner.manager), seq);
      stage = 'end';
      await queryOn(queryRunner, sql`RELEASE SAVEPOINT ${SAVEPOINT}`);
      run.assertNotAborted();
      const steps = [row];
      const { stored } = await application.executeOn(
        queryRunner,
        (dialect) => recordSteps(dialect, steps, false, 'wait'),
        'record a step',
      );
      return stored.length > 0;
    });
  } catch (error) {
    run.assertNotAborted();
    if (stage === 'begin' || (stage === 'end' && isDatabaseUnavailable(error))) {
      return { kind: 'rolled back', error };
    }
    throw error;
  }
  const stored = row as RecordedStep;
  if (end === 'committed') {
    run.rows.onStored(stored);
    return { kind: 'stored' };
  }
  if (end === 'rolled back') {
    throw run.lose();
  }
  switch (await recorder.wasStored(stored, run.assertNotAborted)) {
    case 'stored':
      run.rows.onStored(stored);
      return { kind: 'stored' };
    case 'lost':
      throw run.lose();
    case 'not stored':
      if (isDatabaseUnavailable(end.unknown)) {
        return { kind: 'rolled back', error: end.unknown };
      }
      throw toError(end.unknown);
  }
}
