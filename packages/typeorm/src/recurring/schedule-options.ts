import { assertKey, NAME_LENGTH } from '../definition/names.js';
import { firstTick, parseCron } from '../definition/timing.js';
import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { PRIORITY_RANGE } from '../definition/priority-range.js';
import type { ScheduleDefinition } from '../store/schedules/schedule-row.js';
import { CATCH_UP_POLICIES } from '../tables/schedule.js';

/** When a schedule ticks, and the options of its jobs. Give either `cron` or `every`. */
export interface ScheduleOptions {
  /**
   * A cron expression of five fields, or of six with seconds first, or a nickname such as `@hourly` or `@daily`. Not
   * with `every`.
   */
  readonly cron?: string;
  /** The IANA time zone of the expression, such as `Europe/Berlin`. Only with `cron`. Default: `'UTC'`. */
  readonly timeZone?: string;
  /** The interval between ticks, 1 s to 365 days. The first tick is one interval after `set`. Not with `cron`. */
  readonly every?: Duration;
  /**
   * Which missed ticks fire later: `'none'`, only the `'latest'`, or `'all'`, up to the latest 1,000. Ticks are missed
   * while no process runs the scheduler. Default: `'latest'`.
   */
  readonly catchUp?: 'none' | 'latest' | 'all';
  /**
   * Whether a tick fires while the job of the last tick is unfinished. `false` skips the tick; not with `catchUp:
   * 'all'`. Default: true.
   */
  readonly overlap?: boolean;
  /** The priority of its jobs, -500 to 500: lower numbers run first. Default: 0. */
  readonly priority?: number;
  /** The key of its jobs, to find or cancel them. Default: none. */
  readonly key?: string;
  /** The tenant of its jobs: see `JobOptions.tenant`. Default: the definition's `tenant` for the payload. */
  readonly tenant?: string;
}

const SCHEDULE_OPTIONS: readonly string[] = [
  'cron',
  'timeZone',
  'every',
  'catchUp',
  'overlap',
  'priority',
  'key',
  'tenant',
];

const LONGEST_INTERVAL = 365 * 24 * 3_600_000;
const NICKNAMES = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

type Checked = Pick<ScheduleDefinition, 'cron' | 'timeZone' | 'every' | 'catchUp' | 'overlap' | 'priority' | 'key'>;

/**
 * Validates the options, and returns them in the form of a row.
 *
 * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
 */
export function resolveScheduleOptions(options: ScheduleOptions): Checked {
  assertKnownOptions(options, SCHEDULE_OPTIONS);
  const { cron, timeZone, every, catchUp = 'latest', overlap = true, priority = 0, key } = options;
  if (cron === undefined && every === undefined) {
    throw new InvalidOptionError(
      'cron',
      cron,
      'a cron expression, unless you use `every`. Give either `cron` or `every`',
    );
  }
  if (cron !== undefined && every !== undefined) {
    throw new InvalidOptionError('every', every, 'left out, because you use `cron`. Give either `cron` or `every`');
  }
  if (timeZone !== undefined && cron === undefined) {
    throw new InvalidOptionError('timeZone', timeZone, 'left out with `every`: intervals have no time zone');
  }
  if (!CATCH_UP_POLICIES.includes(catchUp)) {
    throw new InvalidOptionError('catchUp', catchUp, "'none', 'latest' or 'all'");
  }
  if (typeof overlap !== 'boolean') {
    throw new InvalidOptionError('overlap', overlap, 'true or false');
  }
  if (!overlap && catchUp === 'all') {
    throw new InvalidOptionError('overlap', overlap, "true with `catchUp: 'all'`, which fires missed ticks at once");
  }
  if (key !== undefined) {
    assertKey(key);
  }
  return {
    ...(cron === undefined ? intervalOf(every as Duration) : cronOf(cron, timeZone)),
    catchUp,
    overlap,
    priority: wholeNumber('priority', priority, PRIORITY_RANGE.first, PRIORITY_RANGE.last),
    key: key ?? null,
  };
}

function intervalOf(every: Duration): Pick<Checked, 'cron' | 'timeZone' | 'every'> {
  return { cron: null, timeZone: 'UTC', every: toMilliseconds('every', every, 1000, LONGEST_INTERVAL) };
}

function cronOf(cron: string, timeZone = 'UTC'): Pick<Checked, 'cron' | 'timeZone' | 'every'> {
  assertTimeZone(timeZone);
  const expression = typeof cron === 'string' ? cron.trim().split(/\s+/).join(' ') : cron;
  const reason = whyNotCron(expression);
  if (reason !== undefined) {
    throw new InvalidOptionError(
      'cron',
      cron,
      `a cron expression of five fields, or six with seconds first, or one of ${NICKNAMES.join(', ')} (${reason})`,
    );
  }
  return { cron: expression, timeZone, every: null };
}

/** Why an expression is refused. Refuses also input that the parser accepts as something else, such as an ISO date. */
function whyNotCron(expression: unknown): string | undefined {
  if (typeof expression !== 'string' || !/^[\x20-\x7e]*$/.test(expression)) {
    return 'it is not an ASCII string';
  }
  if (expression.length > NAME_LENGTH.cron) {
    return `it is longer than ${NAME_LENGTH.cron} characters`;
  }
  const fields = expression === '' ? 0 : expression.split(' ').length;
  if (fields !== 5 && fields !== 6 && !NICKNAMES.includes(expression.toLowerCase())) {
    return `it has ${fields} ${fields === 1 ? 'field' : 'fields'}`;
  }
  // The parser reads text with a colon as a date, and an invalid date as a schedule that never ticks.
  if (/[^\w*/,#?+@ -]/.test(expression)) {
    return 'it has invalid characters';
  }
  try {
    parseCron(expression, 'UTC');
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
  return firstTick({ cron: expression, timeZone: 'UTC' }, 0) === null ? 'no date matches it' : undefined;
}

function assertTimeZone(timeZone: unknown): asserts timeZone is string {
  // Not an offset: older releases of Node.js do not support them.
  const isName = typeof timeZone === 'string' && /^[A-Za-z]/.test(timeZone) && timeZone.length <= NAME_LENGTH.timeZone;
  if (!isName || !isSupported(timeZone)) {
    throw new InvalidOptionError('timeZone', timeZone, "the name of an IANA time zone, such as 'Europe/Berlin'");
  }
}

function isSupported(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone }).format();
    return true;
  } catch {
    return false;
  }
}
