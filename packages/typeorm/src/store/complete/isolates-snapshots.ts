import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/**
 * Whether MariaDB's `innodb_snapshot_isolation` is on, as by default from 11.6.2. Then a transaction at REPEATABLE READ
 * is rolled back, with error 1020, when it locks a row that was changed since its first read.
 */
export function* isolatesSnapshots({ showSnapshotIsolation }: Dialect): Operation<boolean> {
  if (!showSnapshotIsolation) {
    return false;
  }
  const [variable] = yield* select<{ Value: string }>(showSnapshotIsolation);
  return variable?.Value === 'ON';
}
