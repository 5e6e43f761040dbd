import { setImmediate } from 'node:timers/promises';

import { DatabaseFullError, DatabaseUnavailableError } from '../errors/index.js';

/**
 * Goes from place to place, batch by batch, until there is none, or the run is broken off.
 *
 * @param step does one batch and returns where the next begins.
 */
export async function forEachBatch<Place>(
  start: Place | undefined,
  step: (place: Place) => Promise<Place | undefined>,
  signal?: AbortSignal,
): Promise<void> {
  let place = start;
  while (place !== undefined) {
    place = await step(place);
    // On SQLite a batch takes no turn of the event loop by itself.
    await setImmediate();
    if (signal?.aborted) {
      return;
    }
  }
}

/** @param batch does one and returns whether there may be more. */
export function repeatUntilDone(batch: () => Promise<boolean>): Promise<void> {
  return forEachBatch(true, async () => (await batch()) || undefined);
}

/**
 * Does one thing after another, each whatever has become of those before, unless the database is away. One that has no
 * room left is there: what comes next may make some.
 *
 * @throws what went wrong, when all have had their turn; of several an `AggregateError` that tells of each.
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
