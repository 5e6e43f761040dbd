import { uuidToBytes } from '../../../definition/job-id.js';
import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../chunks.js';
import { NO_PARENT } from './store-child-outcomes.js';

/** A row of a step, as far as it shows for which children its job waits. */
interface ChildWait {
  readonly kind: string;
  readonly state: string;
  /** The id of the set, as text. */
  readonly awaits: string | null;
}

/**
 * Leaves the children for which jobs wait to the reaper: it cancels those that have not ended. Part of a transaction
 * that has locked the jobs' rows and deletes the waits. Index and locks: the primary key of the groups. A second run
 * changes nothing.
 */
export function* abandonChildren({ tables, byPrimaryKey }: Dialect, waits: readonly ChildWait[]): Operation<void> {
  const sets = waits.flatMap(({ kind, state, awaits }) =>
    kind === 'child' && state === 'open' && awaits !== null ? [uuidToBytes(awaits)] : [],
  );
  for (const chunk of chunksOf(sets, MOST_IDS)) {
    yield* change(
      sql`UPDATE ${tables.group} ${byPrimaryKey} SET parent = ${NO_PARENT} WHERE id IN (${sql.list(chunk)})`,
    );
  }
}
