import { type Fragment, sql } from '../../engine/sql.js';
import { type LiveState, type Outcome, isLive } from '../../tables/job.js';

/** Which jobs to find: those that match every value that is not null. */
export interface BrowseFilter {
  readonly state: LiveState | Outcome;
  readonly queue: string | null;
  readonly name: string | null;
  readonly key: string | null;
  readonly tenant: string | null;
  /** Text that the last error contains. */
  readonly error: string | null;
  /** The fingerprint of the last error: see `identifyError`. Not part of `matchesFilter`. */
  readonly fingerprint?: string | null;
  /** From this time on, in ms: the due time of live jobs, the end of finished ones. */
  readonly from: number;
  /** Before this time. */
  readonly before: number;
  /** Only jobs with another priority. */
  readonly otherThan: number | null;
  /** Only jobs of other queues. */
  readonly notIn?: string | null;
  /** Only jobs that were in this state at this time, in ms, and have not run since: see `wasThere`. */
  readonly asOf?: number | null;
}

/** A position in a listing. The meaning of `at` depends on the listing; 0 where the id alone decides. */
export interface BrowseCursor {
  readonly at: number;
  readonly id: Buffer;
}

export interface BrowsePage {
  /** The matching jobs, in order. */
  readonly wanted: readonly BrowseCursor[];
  /** The end of the page; undefined on the last page. */
  readonly end: BrowseCursor | undefined;
  /** How many jobs were examined, or could have been in the time. */
  readonly cost: number;
}

/** Every job is before this time, in ms. */
export const LAST_TIME = Number.MAX_SAFE_INTEGER;

export function hasTimes({ from, before }: BrowseFilter): boolean {
  return from > 0 || before < LAST_TIME;
}

/** A condition: the job matches the filter, apart from the fingerprint, which no server can calculate. */
export function matchesFilter(filter: BrowseFilter): Fragment {
  const { state, queue, name, key, tenant, error, from, before, otherThan, notIn = null, asOf = null } = filter;
  const time = isLive(state) ? sql`run_at` : sql`finished_at`;
  return sql.join(
    [
      sql`state = ${state}`,
      ...(queue === null ? [] : [sql`queue = ${queue}`]),
      ...(name === null ? [] : [sql`name = ${name}`]),
      ...(key === null ? [] : [sql`job_key = ${key}`]),
      ...(tenant === null ? [] : [sql`tenant = ${tenant}`]),
      ...(error === null ? [] : [sql`INSTR(last_error, ${error}) > 0`]),
      ...(otherThan === null ? [] : [sql`priority <> ${otherThan}`]),
      ...(notIn === null ? [] : [sql`queue <> ${notIn}`]),
      ...(asOf === null ? [] : wasThere(state, asOf)),
      ...(hasTimes(filter) ? [sql`${time} >= ${from}`, sql`${time} < ${before}`] : []),
    ],
    sql` AND `,
  );
}

/**
 * Conditions: the job was in its state at a time. A row does not store when it entered a state. Its times show
 * every way into one: its insert, a claim, the due time that a retry or "run now" sets, and its end.
 */
function wasThere(state: BrowseFilter['state'], time: number): Fragment[] {
  if (!isLive(state)) {
    return [sql`finished_at <= ${time}`];
  }
  const isOld = [sql`created_at <= ${time}`, sql`claimed_at <= ${time}`];
  return state === 'ready' ? [...isOld, sql`run_at <= ${time}`] : isOld;
}
