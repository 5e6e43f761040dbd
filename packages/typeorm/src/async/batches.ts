import { setImmediate } from 'node:timers/promises';

import { DatabaseFullError, DatabaseUnavailableError } from '../errors/index.js';

/**
 * Works in batches until there are no more or the signal aborts.
 *
 * @param step does one batch and returns the cursor of the next one.
 */
export async function forEachBatch<Cursor>(
  start: Cursor | undefined,
  step: (cursor: Cursor) => Promise<Cursor | undefined>,
  signal?: AbortSignal,
): Promise<void> {
  const isAborted = () => signal?.aborted ?? false;
  let cursor = start;
  while (cursor !== undefined && !isAborted()) {
    cursor = await step(cursor);
    // On SQLite a batch does not yield to the event loop.
    await setImmediate();
  }
}

/** The same without a cursor. @param batch does one batch and returns whether there may be more. */
export function repeatUntilDone(batch: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  return forEachBatch(true, async () => (await batch()) || undefined, signal);
}

/**
 * Runs steps one after another, also after one has failed, unless the database is unavailable. A full disk does not
 * stop it: the next step may free space.
 *
 * @throws the error after all steps have run; several as an `AggregateError`.
 */
export async function runAll(...steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
      if (error instanceof DatabaseUnavailableError && !(error instanceof DatabaseFullError)) {
        break;
      }
    }
  }
  if (failures.length > 1) {
    throw new AggregateError(failures, failures.map((each) => (each as Error).message).join(' '));
  }
  if (failures.length === 1) {
    throw failures[0];
  }
}
