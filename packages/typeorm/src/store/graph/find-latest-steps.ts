import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { StepState } from '../../tables/step.js';
import type { GraphStep, JobGraph } from './job-graph.js';

const MOST_STEPS = 20;

interface Found {
  readonly kind: GraphStep['kind'];
  readonly name: string;
  readonly state: StepState;
  readonly awaits: string | null;
}

/**
 * Finds the latest steps and waits of a job, without results, and counts the earlier ones. Index: a range of the
 * primary key, which has up to 10,000 rows. Locks nothing.
 */
export function* findLatestSteps(
  { tables }: Dialect,
  jobId: Buffer,
): Operation<Pick<JobGraph, 'steps' | 'earlierSteps'>> {
  // The further signals of a wait for several are rows of their own.
  const ofJob = sql`FROM ${tables.step} WHERE job_id = ${jobId} AND kind NOT LIKE 'any%'`;
  const rows = yield* select<Found>(
    sql`SELECT kind, name, state, awaits ${ofJob} ORDER BY seq DESC LIMIT ${sql.integer(MOST_STEPS + 1)}`,
  );
  const [all] =
    rows.length > MOST_STEPS ? yield* select<{ steps: number | string }>(sql`SELECT COUNT(*) AS steps ${ofJob}`) : [];
  return {
    steps: rows
      .slice(0, MOST_STEPS)
      .map(({ kind, name, state, awaits }) => ({
        kind,
        name,
        state,
        set: kind === 'child' && awaits !== null ? awaits : undefined,
      }))
      .toReversed(),
    earlierSteps: all ? Number(all.steps) - MOST_STEPS : 0,
  };
}
