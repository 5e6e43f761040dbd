import type { Dialect } from '../../../engine/dialect.js';
import { type Operation, change, select } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import { MOST_IDS, chunksOf, mostThatFit } from '../chunks.js';
import { insertChunks, splitForInserts } from './insert-jobs.js';
import type { NewJob } from './new-job.js';

/** The jobs that wait for a group; null for those that do not exist. */
export interface Callbacks<Callback> {
  readonly onSuccess: Callback | null;
  readonly onFailure: Callback | null;
  readonly onComplete: Callback | null;
}

/** A group to store, with the ids of its jobs. */
export interface NewGroup {
  readonly id: Buffer;
  readonly members: readonly Buffer[];
  readonly callbacks: Callbacks<Buffer>;
  /** The durable job that waits for the members. */
  readonly parent?: Buffer;
}

/** How long a row of each table is at most, in bytes. */
const GROUP_BYTES = 300;
const MEMBER_BYTES = 100;

const OPEN_MEMBER = sql`(${sql.open}, 'open', ${sql.open})`;

/**
 * Stores groups, their members and their callbacks. Part of a transaction: no other transaction sees any of it before
 * the commit, so no member finishes before its group exists.
 *
 * Only inserts; locks the new rows. If it runs `again` after a broken connection, the first group exists exactly if
 * everything was committed.
 *
 * @param jobs the members and the callbacks of all the groups.
 */
export function* insertGroups(
  dialect: Dialect,
  groups: readonly NewGroup[],
  jobs: readonly NewJob[],
  again = false,
): Operation<void> {
  if (again && (yield* isStored(dialect, groups))) {
    return;
  }
  const chunks = splitForInserts(dialect, jobs);
  const { tables, now } = dialect;
  for (const chunk of chunksOf(groups, mostThatFit(dialect, MOST_IDS, GROUP_BYTES))) {
    const rows = chunk.map(({ id, members, callbacks: { onSuccess, onFailure, onComplete }, parent = null }) => {
      return sql`(${id}, ${members.length}, ${onSuccess}, ${onFailure}, ${onComplete}, ${parent}, ${now})`;
    });
    yield* change(
      sql`INSERT INTO ${tables.group} (id, jobs, on_success, on_failure, on_complete, parent, created_at)
          VALUES ${sql.join(rows)}`,
    );
  }
  const members = groups.flatMap(({ id, members: own }) => own.map((member) => [id, member]));
  for (const chunk of chunksOf(members, mostThatFit(dialect, MOST_IDS, MEMBER_BYTES))) {
    const rows = sql.rows(
      chunk.map(() => OPEN_MEMBER),
      chunk.flat(),
    );
    yield* change(sql`INSERT INTO ${tables.member} (group_id, outcome, job_id) VALUES ${rows}`);
  }
  yield* insertChunks(dialect, chunks);
}

function* isStored({ tables }: Dialect, groups: readonly NewGroup[]): Operation<boolean> {
  const [first] = groups;
  return first !== undefined && (yield* select(sql`SELECT id FROM ${tables.group} WHERE id = ${first.id}`)).length > 0;
}
