import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { HeldLock } from '../base/locks/missing-workers.js';

/** Whether connections other than the holder's see the lock as held. Behind some proxies they do not. */
export function* isLockVisible(dialect: Dialect, { name, server }: HeldLock): Operation<boolean> {
  const rows = yield* select<{ visible: unknown }>(
    sql`SELECT ${dialect.server} = ${server} AND NOT (${dialect.isLockFree(sql`${name}`)}) AS visible`,
  );
  return Number(rows[0]?.visible) === 1;
}
