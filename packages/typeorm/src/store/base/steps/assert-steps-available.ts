import type { Dialect } from '../../../engine/dialect.js';
import { StepsUnavailableError } from '../../../errors/index.js';

/** @throws StepsUnavailableError on a server that cannot store steps and signals. */
export function assertStepsAvailable({ canSkipLocked, lockedRows }: Dialect, method: string): void {
  if (!canSkipLocked || lockedRows !== undefined) {
    throw new StepsUnavailableError(
      method,
      'this server does not support SKIP LOCKED',
      'Use MySQL 8.0.1 or newer, MariaDB 10.6 or newer, or SQLite.',
    );
  }
}
