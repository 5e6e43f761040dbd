import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';

/**
 * Whether a transaction at REPEATABLE READ is rolled back, with error 1020, when it locks a row that another transaction
 * has changed since its first read: MariaDB with `innodb_snapshot_isolation`, which is on by default from 11.6.2 on.
 */
export function* isolatesSnapshots({ showSnapshotIsolation }: Dialect): Operation<boolean> {
  if (!showSnapshotIsolation) {
    return false;
  }
  const [variable] = yield* select<{ Value: string }>(showSnapshotIsolation);
  return variable?.Value === 'ON';
}
