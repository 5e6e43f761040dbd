import { NestedStepError, StepsUnavailableError } from '../../errors/index.js';
import { currentStepOf } from './current-step.js';
import type { DurableDependencies } from './durable-dependencies.js';

/**
 * Rejects durable calls inside a step, and those on a server that cannot store them.
 *
 * @throws NestedStepError, StepsUnavailableError
 */
export function assertCallable(method: string, run: object, { engine }: DurableDependencies): void {
  const step = currentStepOf(run);
  if (step !== undefined) {
    throw new NestedStepError(method, step);
  }
  const { canSkipLocked, lockedRows } = engine.dialect;
  if (!canSkipLocked || lockedRows !== undefined) {
    throw new StepsUnavailableError(
      `job.${method}`,
      'this server does not support SKIP LOCKED',
      'Use MySQL 8.0.1 or newer, MariaDB 10.6 or newer, or SQLite.',
    );
  }
}
