import type { EntityManager } from 'typeorm';

import { DatabaseUnavailableError } from '../../errors/index.js';
import { messageOf } from '../../errors/thrown.js';
import type { DurableRun } from './durable-run.js';
import { recordInTransaction } from './record-in-transaction.js';
import { type StoredText, storedTextOf } from './stored-text.js';

/**
 * Stores the cursor of a step or of a handler, alone or in one commit with what `write` writes.
 *
 * @throws LeaseLostError, StepLimitError, DatabaseUnavailableError, TypeError, RangeError, EncodeFailedError; the error
 *   of `write`.
 */
export async function storeCursor(
  run: DurableRun,
  row: { readonly kind: 'step' | 'cursor'; readonly name: string },
  cursor: unknown,
  write: ((manager: EntityManager) => unknown) | undefined,
): Promise<StoredText> {
  run.assertNotAborted();
  const texts = textsOf(run, cursor, row.name);
  const value = texts instanceof Promise ? await texts : texts;
  const fields = { ...row, state: 'open', value: value.stored } as const;
  if (write === undefined) {
    run.answers.release(await run.record(fields));
    return value;
  }
  const seq = run.reserveSeq();
  try {
    const end = await run.busyWhile(() =>
      recordInTransaction(run, seq, async (manager) => {
        await write(manager);
        return fields;
      }),
    );
    if (end.kind === 'rolled back') {
      throw new DatabaseUnavailableError('store a cursor', end.error);
    }
    return value;
  } finally {
    run.answers.release(seq);
  }
}

/** @throws TypeError, RangeError */
function textsOf(run: DurableRun, cursor: unknown, step: string): StoredText | Promise<StoredText> {
  try {
    return storedTextOf(run, cursor, `cursor of the step "${step}"`);
  } catch (error) {
    const ErrorClass = error instanceof RangeError ? RangeError : TypeError;
    throw new ErrorClass(`The cursor cannot be stored: ${messageOf(error)}.`, { cause: error });
  }
}
