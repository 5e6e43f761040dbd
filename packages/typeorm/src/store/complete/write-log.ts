import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import type { LogLevel } from '../base/jobs/job-log.js';
import { MOST_IDS, type Measure, chunksBySize, chunksOf, fits } from '../base/chunks.js';

/** The logs of how many attempts of a job are kept: the last ones, as with the errors. */
const MOST_ATTEMPTS = 20;
/** What a line takes beside its texts. */
const LINE_BYTES = 120;

const TOO_LONG = 'The line was left out: it is too long for max_allowed_packet of the server.';

/** A line to store. */
export interface StoredLine {
  readonly job: Pick<ClaimedJob, 'id' | 'attempt'>;
  readonly seq: number;
  /** How long ago it was logged, in ms. */
  readonly age: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: string | null;
  readonly dropped: number;
}

/**
 * Stores lines of running jobs. Lines whose job has been deleted are left out.
 *
 * Not fenced: a line belongs to its attempt, also if that has lost its job. Index: the primary keys. Locks: its own
 * rows, never those of jobs, so it waits for no outcome. If the process dies, the lines of some statements are stored. A
 * second run stores the same rows.
 */
export function* writeLog(dialect: Dialect, lines: readonly StoredLine[]): Operation<void> {
  const { tables, byPrimaryKey } = dialect;
  const ids = new Map(lines.map(({ job: { id } }) => [id.toString('hex'), id]));
  const existing = new Set<string>();
  for (const chunk of chunksOf([...ids.values()], MOST_IDS)) {
    const rows = yield* select<{ id: Buffer }>(
      sql`SELECT id FROM ${tables.job} ${byPrimaryKey} WHERE id IN (${sql.list(chunk)})`,
    );
    rows.forEach(({ id }) => existing.add(id.toString('hex')));
  }
  const kept = lines
    .filter(({ job: { id } }) => existing.has(id.toString('hex')))
    .map((line) =>
      fits(dialect, (measure) => bytesOf(line, measure)) ? line : { ...line, message: TOO_LONG, fields: null },
    );
  for (const chunk of chunksBySize(dialect, kept, MOST_IDS, bytesOf)) {
    const values = chunk.map(({ job: { id, attempt }, seq, age, level, message, fields, dropped }) => {
      return sql`(${id}, ${attempt}, ${seq}, ${dialect.now} - ${age}, ${level}, ${message}, ${fields}, ${dropped})`;
    });
    yield* change(
      sql`INSERT INTO ${tables.log} (job_id, attempt, seq, logged_at, level, message, fields, dropped)
          VALUES ${sql.join(values)}
          ${dialect.onConflictUpdate(sql`job_id, attempt, seq`)} message = ${dialect.newValue(sql`message`)},
            dropped = ${dialect.newValue(sql`dropped`)}`,
    );
  }
  for (const { job, seq } of kept) {
    if (seq === 1 && job.attempt > MOST_ATTEMPTS) {
      yield* change(
        sql`${dialect.deleteFrom(tables.log)}
            WHERE job_id = ${job.id} AND attempt <= ${job.attempt - MOST_ATTEMPTS} AND logged_at IS NOT NULL`,
      );
    }
  }
}

function bytesOf({ message, fields }: StoredLine, measure: Measure): number {
  return LINE_BYTES + measure(message) + measure(fields);
}
