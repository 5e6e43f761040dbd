import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, placeholders, select } from '../../engine/operation.js';
import type { JobSnapshot } from './find-jobs.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';

/** A job beside another: one that it waits for or that waits for it; or the last one of a schedule. */
export type LinkedJob = Pick<JobSnapshot, 'id' | 'name' | 'state'>;

/**
 * Looks jobs up by their ids, wherever they are: in the order of these; those that have gone from the history are left
 * out. Index: the primary keys. Reads only.
 */
export function* findLinks({ tables }: Dialect, ids: readonly Buffer[]): Operation<LinkedJob[]> {
  const links = new Map<string, LinkedJob>();
  for (const part of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select(
      `SELECT id, name, state FROM ${tables.job} WHERE id IN (${placeholders(part)})
       UNION ALL SELECT id, name, state FROM ${tables.history} WHERE id IN (${placeholders(part)})`,
      [...part, ...part],
    );
    for (const { id, name, state } of rows) {
      const link = { id: uuidFromBytes(id as Buffer), name: name as string, state: state as LinkedJob['state'] };
      links.set(link.id, link);
    }
  }
  return ids.flatMap((id) => links.get(uuidFromBytes(id)) ?? []);
}
