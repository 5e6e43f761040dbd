import type { Fragment, Parameter } from '../../engine/operation.js';
import type { Outcome } from '../../tables/history.js';
import { LIVE_STATES, type LiveState } from '../../tables/job.js';

/** Which jobs are looked for: those for which everything holds that is not null. */
export interface BrowseFilter {
  readonly state: LiveState | Outcome;
  readonly queue: string | null;
  readonly name: string | null;
  readonly key: string | null;
  readonly tenant: string | null;
  /** What the last error has to contain. */
  readonly error: string | null;
  /** From this time on, in ms: of live jobs when they are due, of finished ones when they ended. */
  readonly from: number;
  /** And before this one. */
  readonly before: number;
  /** Only jobs that have another priority. */
  readonly otherThan: number | null;
}

/** A place on the way along which jobs are looked for. What `at` is depends on the way; where the id decides it is 0. */
export interface BrowseCursor {
  readonly at: number;
  readonly id: Buffer;
}

/** A part of the way. */
export interface BrowsePage {
  /** The places of the wanted jobs in it, in the order of the way. */
  readonly wanted: readonly BrowseCursor[];
  /** Where the part ends; undefined when there is nothing more. */
  readonly end: BrowseCursor | undefined;
  /** How many jobs were looked at. */
  readonly examined: number;
}

/** No job is behind this time, in ms. */
export const LAST_TIME = Number.MAX_SAFE_INTEGER;

/** Whether the jobs looked for are in the live table. */
export function isLive(state: LiveState | Outcome): state is LiveState {
  return (LIVE_STATES as readonly string[]).includes(state);
}

/** Whether a time was asked for. */
export function hasTimes({ from, before }: BrowseFilter): boolean {
  return from > 0 || before < LAST_TIME;
}

/** The condition that a row, of the live table or of the history, is wanted. */
export function matchesFilter(filter: BrowseFilter): Fragment {
  const { state, queue, name, key, tenant, error, from, before, otherThan } = filter;
  const live = isLive(state);
  const time = live ? 'run_at' : 'finished_at';
  const conditions: [sql: string, value: Parameter][] = [['state = ?', state]];
  const add = (sql: string, value: Parameter) => value !== null && conditions.push([sql, value]);
  add('queue = ?', queue);
  add('name = ?', name);
  add('job_key = ?', key);
  add('tenant = ?', tenant);
  add(`INSTR(${live ? 'last_error' : 'error'}, ?) > 0`, error);
  add('priority <> ?', otherThan);
  if (hasTimes(filter)) {
    add(`${time} >= ?`, from);
    add(`${time} < ?`, before);
  }
  return { sql: conditions.map(([sql]) => sql).join(' AND '), parameters: conditions.map(([, value]) => value) };
}
