import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { fenced } from '../base/locks/fence.js';
import { type Measure, chunksBySize, fits } from '../base/chunks.js';
import { lockRunning } from '../base/locks/lock-running.js';

/** What a job takes beside its text. */
const JOB_BYTES = 160;

/** The progress that a handler has reported, as JSON text. */
export interface ReportedProgress {
  readonly job: ClaimedJob;
  readonly text: string;
}

/** The entries that were not stored. */
export interface UnwrittenProgress {
  /** Another transaction has locked their jobs. */
  readonly busy: readonly ReportedProgress[];
  /** They do not fit into a statement. */
  readonly tooLarge: readonly ReportedProgress[];
}

/**
 * Stores the progress of up to `MOST_IDS` running jobs, under the fence.
 *
 * Part of a transaction. Index: the primary key. Locks: the jobs' rows, in the order of their ids, before the UPDATE:
 * see `lock-running.ts`. Does the same the second time.
 */
export function* writeProgress(dialect: Dialect, entries: readonly ReportedProgress[]): Operation<UnwrittenProgress> {
  const isFitting = (entry: ReportedProgress) => fits(dialect, (measure) => bytesOf(entry, measure));
  const tooLarge = entries.filter((entry) => !isFitting(entry));
  const fitting = tooLarge.length === 0 ? entries : entries.filter(isFitting);
  if (fitting.length === 0) {
    return { busy: [], tooLarge };
  }
  const { ours, busy } = yield* lockRunning(dialect, fitting, ({ job }) => job);
  for (const chunk of chunksBySize(dialect, ours, ours.length, bytesOf)) {
    const jobs = chunk.map(({ job }) => job);
    const cases = chunk.map(({ job, text }) => sql`WHEN ${job.id} THEN ${text}`);
    yield* change(
      sql`UPDATE ${dialect.tables.job} ${dialect.byPrimaryKey}
          SET progress = CASE id ${sql.join(cases, sql` `)} END WHERE ${fenced(dialect, jobs)}`,
    );
  }
  return { busy, tooLarge };
}

function bytesOf({ text }: ReportedProgress, measure: Measure): number {
  return JOB_BYTES + measure(text);
}
