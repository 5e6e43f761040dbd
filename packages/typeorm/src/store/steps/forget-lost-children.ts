import { uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import type { WaitRow } from '../base/steps/step-row.js';

/**
 * Finds waits for children that do not exist, and deletes their rows: a server that crashes without flushing its
 * commits can lose the one that started them. The next run starts the children again. Part of a transaction that has
 * locked the jobs.
 *
 * Index: the primary keys. Jobs without children cost nothing. A second run changes nothing.
 */
export function* forgetLostChildren(
  { tables, deleteFrom }: Dialect,
  waits: readonly WaitRow[],
): Operation<ReadonlySet<WaitRow>> {
  const lost = new Set<WaitRow>();
  const forChildren = waits.filter(({ kind, awaits }) => kind === 'child' && awaits !== null);
  for (const chunk of chunksOf(forChildren, MOST_IDS)) {
    const sets = chunk.map(({ awaits }) => uuidToBytes(awaits as string));
    const found = yield* select<{ id: Buffer }>(sql`SELECT id FROM ${tables.group} WHERE id IN (${sql.list(sets)})`);
    chunk.filter((_wait, index) => !found.some(({ id }) => id.equals(sets[index]!))).forEach((wait) => lost.add(wait));
  }
  for (const { job, name } of lost) {
    yield* change(
      sql`${deleteFrom(tables.step)} WHERE job_id = ${job.id} AND kind = 'child' AND name = ${name} AND state = 'open'`,
    );
  }
  return lost;
}
