import type { Dialect } from '../../engine/dialect.js';
import { type Operation, type Parameter, type Statement, placeholders, select } from '../../engine/operation.js';
import { AFTER_ALL_FAILURES, type FailureCursor, firstFailureAt } from '../base/failure-cursor.js';
import { MOST_IDS } from '../base/chunks.js';

/** Which failed jobs are wanted. */
export interface FailureFilter {
  readonly queue: string | null;
  readonly name: string | null;
  /** What the error has to contain. */
  readonly error: string | null;
  /** From this time on, in ms. */
  readonly from: number;
  /** And before this one. */
  readonly before: number;
}

/** A way along the failures. */
export interface FailureOrder {
  readonly start: FailureCursor;
  readonly beyond: '<' | '>';
  readonly order: 'ASC' | 'DESC';
}

/** From the oldest failure on. */
export const OLDEST_FIRST: FailureOrder = { start: firstFailureAt(0), beyond: '>', order: 'ASC' };

/** From the newest failure back. */
export const NEWEST_FIRST: FailureOrder = { start: AFTER_ALL_FAILURES, beyond: '<', order: 'DESC' };

/** A part of the way. */
export interface FailurePage {
  /** The places of the wanted jobs in it, in the order of the way. */
  readonly wanted: readonly FailureCursor[];
  /** Where the part ends; undefined when there is nothing more. */
  readonly end: FailureCursor | undefined;
}

/**
 * The wanted ones among the next failed jobs.
 *
 * Index: that of the failures by time, or by queue and time, from a place on. Only what asks for a name or an error reads
 * the history too, by its primary key. Locks nothing: what is done to a job has to look again.
 *
 * @param most how many are looked at, up to 400.
 */
export function* findFailedJobs(
  dialect: Dialect,
  filter: FailureFilter,
  order: FailureOrder,
  after: FailureCursor,
  most: number,
): Operation<FailurePage> {
  const limit = Math.min(Math.trunc(most), MOST_IDS);
  const { sql, parameters } = nextFailures(dialect, filter, order, after, limit);
  const rows = yield* select<{ finished_at: number | string; job_id: Buffer }>(sql, parameters);
  const places = rows.map(({ finished_at: finishedAt, job_id: id }) => ({ finishedAt: Number(finishedAt), id }));
  return {
    wanted: yield* amongNamed(dialect, filter, places),
    end: rows.length === limit ? places.at(-1) : undefined,
  };
}

/** The statement that reads the next failures of a queue or of all, with the columns `finished_at` and `job_id`. */
export function nextFailures(
  { tables, byFailureTime, byFailureQueue }: Dialect,
  { queue, from, before }: Pick<FailureFilter, 'queue' | 'from' | 'before'>,
  { beyond, order }: FailureOrder,
  after: FailureCursor,
  limit: number,
): Statement {
  return {
    sql: `SELECT finished_at, job_id FROM ${tables.failure} ${queue === null ? byFailureTime : byFailureQueue}
     WHERE ${queue === null ? '' : 'queue = ? AND'} finished_at >= ? AND finished_at < ?
       AND finished_at ${beyond}= ? AND (finished_at ${beyond} ? OR job_id ${beyond} ?)
     ORDER BY finished_at ${order}, job_id ${order} LIMIT ${Math.trunc(limit)}`,
    parameters: [...(queue === null ? [] : [queue]), from, before, after.finishedAt, after.finishedAt, after.id],
  };
}

function* amongNamed(
  { tables, byPrimaryKey }: Dialect,
  { name, error }: FailureFilter,
  places: readonly FailureCursor[],
): Operation<readonly FailureCursor[]> {
  if ((name === null && error === null) || places.length === 0) {
    return places;
  }
  const parameters: Parameter[] = places.map(({ id }) => id);
  const conditions = [`id IN (${placeholders(places)})`];
  if (name !== null) {
    conditions.push('name = ?');
    parameters.push(name);
  }
  if (error !== null) {
    conditions.push('INSTR(error, ?) > 0');
    parameters.push(error);
  }
  const rows = yield* select<{ id: Buffer }>(
    `SELECT id FROM ${tables.history} ${byPrimaryKey} WHERE ${conditions.join(' AND ')}`,
    parameters,
  );
  const wanted = new Set(rows.map(({ id }) => id.toString('hex')));
  return places.filter(({ id }) => wanted.has(id.toString('hex')));
}
