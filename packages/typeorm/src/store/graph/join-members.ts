import { uuidFromBytes } from '../../definition/job-id.js';
import type { Dialect } from '../../engine/dialect.js';
import { type Operation, select } from '../../engine/operation.js';
import { type Fragment, sql } from '../../engine/sql.js';
import { groupBy } from '../../group-by.js';
import type { MemberOutcome } from '../../tables/member.js';
import { cappedCount } from '../base/jobs/job-count.js';
import type { DrawnMembers, GraphJob, GraphMember, GraphMembers } from './job-graph.js';

const OUTCOMES: readonly MemberOutcome[] = ['failed', 'cancelled', 'expired', 'open', 'succeeded'];
/** How many members with an outcome are counted. */
const MOST_COUNTED = 10_000;
/** How many members with an outcome are read with their states and names. */
const MOST_READ = 100;
/** How many nodes the members with an outcome are at most. */
const MOST_TOGETHER = 6;
const MOST_NAMES = 3;

interface Found {
  readonly outcome: MemberOutcome;
  readonly job_id: Buffer;
  /** Null if the job was pruned. */
  readonly name: string | null;
  readonly state: GraphJob['state'] | null;
}

/**
 * Joins the members of a large group by outcome. An outcome with up to `MOST_READ` members is split by state and name.
 *
 * Index: the primary key of the members, up to 10,001 entries for each outcome and no row of a job. Then the primary key
 * of the jobs, up to 100 rows for each outcome. Locks nothing.
 */
export function* joinMembers(dialect: Dialect, group: Buffer): Operation<DrawnMembers> {
  const counted = yield* select<{ number: number | string; jobs: number | string }>(
    ofEachOutcome(
      (outcome, number) =>
        sql`SELECT ${number} AS number, COUNT(*) AS jobs
            FROM (${firstMembers(dialect, group, outcome, MOST_COUNTED + 1)}) counted_${number}`,
    ),
  );
  const found = yield* select<Found>(
    sql`SELECT taken.outcome, taken.job_id, job.name, job.state
        FROM (${ofEachOutcome(
          (outcome, number) => sql`SELECT * FROM (${firstMembers(dialect, group, outcome, MOST_READ)}) taken_${number}`,
        )}) taken
        LEFT JOIN ${dialect.tables.job} job ${dialect.byPrimaryKey} ON job.id = taken.job_id`,
  );
  const totals = new Map(counted.map(({ number, jobs }) => [OUTCOMES[Number(number)], Number(jobs)]));
  const byOutcome = groupBy(found, ({ outcome }) => outcome);
  const drawn = OUTCOMES.map((outcome) => joinOutcome(outcome, totals.get(outcome) ?? 0, byOutcome.get(outcome) ?? []));
  return { members: drawn.flatMap(({ members }) => members), others: drawn.flatMap(({ others }) => others) };
}

const ofEachOutcome = (selectOf: (outcome: MemberOutcome, number: Fragment) => Fragment): Fragment =>
  sql.join(
    OUTCOMES.map((outcome, index) => selectOf(outcome, sql.integer(index))),
    sql` UNION ALL `,
  );

function firstMembers(
  { tables, byPrimaryKey }: Dialect,
  group: Buffer,
  outcome: MemberOutcome,
  most: number,
): Fragment {
  return sql`SELECT outcome, job_id FROM ${tables.member} ${byPrimaryKey}
             WHERE group_id = ${group} AND outcome = ${outcome} ORDER BY job_id LIMIT ${sql.integer(most)}`;
}

/** @param total up to one more than `MOST_COUNTED`. */
function joinOutcome(outcome: MemberOutcome, total: number, rows: readonly Found[]): DrawnMembers {
  const kinds = [...groupBy(rows, ({ state, name }) => JSON.stringify([state, name])).values()];
  if (total > rows.length || kinds.length > MOST_TOGETHER) {
    // Members may have ended since they were counted.
    const jobs = cappedCount(Math.max(total, rows.length), MOST_COUNTED);
    return { members: [], others: [{ outcome, state: undefined, names: namesOf(rows), jobs }] };
  }
  const alone: GraphMember[] = [];
  const others: GraphMembers[] = [];
  for (const own of kinds) {
    const [{ job_id: id, state }] = own;
    if (own.length === 1 && state !== null) {
      alone.push({ id: uuidFromBytes(id), outcome });
    } else {
      const all = { count: own.length, isCapped: false };
      others.push({ outcome, state: state ?? undefined, names: namesOf(own), jobs: all });
    }
  }
  return { members: alone, others };
}

function namesOf(rows: readonly Found[]): string[] {
  return [...new Set(rows.flatMap(({ name }) => name ?? []))].slice(0, MOST_NAMES);
}
