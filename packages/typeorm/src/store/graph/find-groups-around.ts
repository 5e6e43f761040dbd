import { uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { groupsOfCallbacks } from '../base/groups-of-callbacks.js';
import type { GraphJob, GroupRow } from './job-graph.js';

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
 * Finds the groups that contain some jobs as members, those whose callbacks the jobs are, and others by id. Index: the
 * primary key. Locks nothing.
 *
 * @param jobs up to `MOST_NODES`.
 * @param groups ids of further groups, up to `MOST_NODES`.
 */
export function* findGroupsAround(
  dialect: Dialect,
  jobs: readonly GraphJob[],
  groups: readonly string[],
): Operation<GroupRow[]> {
  const ids = [...new Set([...jobs.flatMap(({ group }) => group ?? []), ...groups])].map(uuidToBytes);
  const callbacks = jobs
    .map(({ id }) => id)
    .toSorted()
    .map(uuidToBytes);
  const latest = callbacks.at(-1);
  const selects = [
    ...(latest === undefined ? [] : [groupsOfCallbacks(dialect, COLUMNS, callbacks, latest)]),
    ...(ids.length === 0 ? [] : [sql`SELECT ${COLUMNS} FROM ${dialect.tables.group} WHERE id IN (${sql.list(ids)})`]),
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
