import type { EntityManager } from 'typeorm';

import { DatabaseUnavailableError } from '../../errors/index.js';
import type { DurableRun } from './durable-run.js';
import { encodeValue } from './step-value.js';
import { recordInTransaction } from './record-in-transaction.js';

/**
 * Stores the cursor of a step or of a handler, alone or in one commit with what `write` writes.
 *
 * @returns the cursor as JSON text.
 * @throws LeaseLostError, StepLimitError, DatabaseUnavailableError, TypeError, RangeError; the error of `write`.
 */
export async function storeCursor(
  run: DurableRun,
  row: { readonly kind: 'step' | 'cursor'; readonly name: string },
  cursor: unknown,
  write: ((manager: EntityManager) => unknown) | undefined,
): Promise<string | null> {
  run.assertNotAborted();
  const value = encodeValue(cursor, run.dependencies.outcomes.maxResultBytes);
  const fields = { ...row, state: 'open', value } as const;
  if (write === undefined) {
    run.releaseSeq(await run.record(fields));
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
    run.releaseSeq(seq);
  }
}
