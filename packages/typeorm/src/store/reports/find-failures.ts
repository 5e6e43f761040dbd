import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import { MOST_IDS, chunksOf } from '../base/chunks.js';
import { COMPARED_CHARACTERS } from '../base/error-fingerprint.js';

/** A failed job with the beginning of its error. */
export interface FailureRow {
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly payloadVersion: number;
  /** When it failed, in ms. */
  readonly failedAt: number;
  readonly error: string;
}

interface StoredFailure {
  readonly id: Buffer;
  readonly queue: string;
  readonly name: string;
  readonly payload_version: number | string;
  readonly finished_at: number | string;
  readonly error: string | null;
}

/** Reads failed jobs by id; jobs that are no longer failed are left out. Index: the primary key. Locks nothing. */
export function* findFailures({ tables, byPrimaryKey }: Dialect, ids: readonly Buffer[]): Operation<FailureRow[]> {
  const found: FailureRow[] = [];
  for (const chunk of chunksOf(ids, MOST_IDS)) {
    const rows = yield* select<StoredFailure>(
      sql`SELECT id, queue, name, payload_version, finished_at,
                 SUBSTR(last_error, 1, ${sql.integer(COMPARED_CHARACTERS)}) AS error
          FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(chunk)}) AND state = 'failed'`,
    );
    found.push(
      ...rows.map((row) => ({
        id: uuidFromBytes(row.id),
        queue: row.queue,
        name: row.name,
        payloadVersion: Number(row.payload_version),
        failedAt: Number(row.finished_at),
        error: row.error ?? '',
      })),
    );
  }
  return found;
}
