import { uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { GraphJob, GroupRow } from './job-graph.js';

/**
 * How many groups are searched for those of callbacks. The ids of a group and its jobs are generated one after another:
 * only groups of other calls and processes within the same milliseconds have ids between them.
 */
const MOST_SEARCHED = 1_000;

const COLUMNS = sql`id, jobs, on_success, on_failure, on_complete, parent, finished_at`;

interface Found {
  readonly id: Buffer;
  readonly jobs: number | string;
  readonly on_success: Buffer | null;
  readonly on_failure: Buffer | null;
  readonly on_complete: Buffer | null;
  readonly parent: Buffer | null;
  readonly finished_at: number | string | null;
}

/**
 * Finds the groups that contain some jobs as members, those whose callbacks the jobs are, and others by id. For
 * callbacks there is no index: this searches the groups created before the latest of the jobs. Index: the primary key.
 * Locks nothing.
 *
 * @param jobs up to `MOST_NODES`.
 * @param groups ids of further groups, up to `MOST_NODES`.
 */
export function* findGroupsAround(
  { tables }: Dialect,
  jobs: readonly GraphJob[],
  groups: readonly string[],
): Operation<GroupRow[]> {
  const ids = [...new Set([...jobs.flatMap(({ group }) => group ?? []), ...groups])].map(uuidToBytes);
  const callbacks = jobs.map(({ id }) => id).toSorted();
  const latest = callbacks.at(-1);
  const isOne = sql`IN (${sql.list(callbacks.map(uuidToBytes))})`;
  const selects = [
    ...(latest === undefined
      ? []
      : [
          sql`SELECT * FROM (SELECT ${COLUMNS} FROM ${tables.group} WHERE id < ${uuidToBytes(latest)}
                             ORDER BY id DESC LIMIT ${sql.integer(MOST_SEARCHED)}) recent
              WHERE on_success ${isOne} OR on_failure ${isOne} OR on_complete ${isOne}`,
        ]),
    ...(ids.length === 0 ? [] : [sql`SELECT ${COLUMNS} FROM ${tables.group} WHERE id IN (${sql.list(ids)})`]),
  ];
  const rows = selects.length === 0 ? [] : yield* select<Found>(sql.join(selects, sql` UNION ALL `));
  return [...new Map(rows.map((row) => [uuidFromBytes(row.id), row]))].map(([id, row]) => toGroup(id, row));
}

function toGroup(id: string, { jobs, on_success, on_failure, on_complete, parent, finished_at }: Found): GroupRow {
  return {
    id,
    jobs: Number(jobs),
    onSuccess: textOf(on_success),
    onFailure: textOf(on_failure),
    onComplete: textOf(on_complete),
    parent: textOf(parent),
    isFinished: finished_at !== null,
  };
}

function textOf(id: Buffer | null): string | undefined {
  return id === null ? undefined : uuidFromBytes(id);
}
