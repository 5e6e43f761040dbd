import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import type { JobSnapshot } from './find-jobs.js';

/** A job that is related to another one, as a group member or a callback; or the last job of a schedule. */
export type LinkedJob = Pick<JobSnapshot, 'id' | 'name' | 'state'>;

/**
 * Finds jobs by their ids, live or finished, in the given order. Deleted jobs are missing. Index: the primary key.
 * Locks nothing.
 */
export function* findLinks({ tables }: Dialect, ids: readonly Buffer[]): Operation<LinkedJob[]> {
  const links = new Map<string, LinkedJob>();
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select(sql`SELECT id, name, state FROM ${tables.job} WHERE id IN (${sql.list(chunk)})`);
    for (const { id, name, state } of rows) {
      const link = { id: uuidFromBytes(id as Buffer), name: name as string, state: state as LinkedJob['state'] };
      links.set(link.id, link);
    }
  }
  return ids.flatMap((id) => links.get(uuidFromBytes(id)) ?? []);
}
