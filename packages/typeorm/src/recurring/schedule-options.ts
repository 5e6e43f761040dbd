import { assertKey, NAME_LENGTH } from '../definition/names.js';
import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { PRIORITY_RANGE } from '../store/base/sort-key.js';
import type { ScheduleDefinition } from '../store/schedules/schedules.js';
import { CATCH_UP_POLICIES, type CatchUpPolicy } from '../tables/schedule.js';
import { firstTick, parseCron } from '../definition/timing.js';

/** When a schedule ticks, and what is done then. One of `cron` and `every` is needed. */
export interface ScheduleOptions {
  /**
   * A cron expression of five fields, six with seconds in front, or `@hourly`, `@daily` and the like. Not with `every`.
   */
  readonly cron?: string;
  /** The IANA time zone the expression is read in, such as `Europe/Berlin`. Only with `cron`. Default: `'UTC'`. */
  readonly timeZone?: string;
  /** Ticks once in each such interval, for the first time when one has passed: 1 s to 365 days. Not with `cron`. */
  readonly every?: Duration;
  /**
   * Which missed ticks are fired later: `'none'`, only the `'latest'`, or `'all'`, up to the latest 1,000. Ticks are missed
   * while no process runs the scheduler. Default: `'latest'`.
   */
  readonly catchUp?: CatchUpPolicy;
  /** Whether a tick fires while the job of the tick before is unfinished. `false` skips the tick; not with `catchUp: 'all'`.
   * Default: true. */
  readonly overlap?: boolean;
  /** The priority of its jobs: a whole number from -500 to 500, smaller first. Default: 0. */
  readonly priority?: number;
  /** The key of its jobs, to find and cancel them by. Default: none. */
  readonly key?: string;
  /** Who its jobs are for: see `JobOptions.tenant`. Default: what the definition makes of the payload. */
  readonly tenant?: string;
}

/** The names of the options of a schedule. */
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
 * The options as the row has them.
 *
 * @throws InvalidOptionError, UnknownOptionError, InvalidNameError
 */
export function resolveScheduleOptions(options: ScheduleOptions): Checked {
  assertKnownOptions(options, SCHEDULE_OPTIONS);
  const { cron, timeZone, every, catchUp = 'latest', overlap = true, priority = 0, key } = options;
  if ((cron === undefined) === (every === undefined)) {
    throw new InvalidOptionError('cron', cron, 'given where "every" is not, and left out where it is');
  }
  if (timeZone !== undefined && cron === undefined) {
    throw new InvalidOptionError('timeZone', timeZone, 'left out where "every" is given');
  }
  if (!CATCH_UP_POLICIES.includes(catchUp)) {
    throw new InvalidOptionError('catchUp', catchUp, "'none', 'latest' or 'all'");
  }
  if (typeof overlap !== 'boolean') {
    throw new InvalidOptionError('overlap', overlap, 'true or false');
  }
  if (!overlap && catchUp === 'all') {
    throw new InvalidOptionError('overlap', overlap, 'left out where "catchUp" is \'all\'');
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
      `a cron expression of five fields, six with seconds in front, or one of ${NICKNAMES.join(', ')} (${reason})`,
    );
  }
  return { cron: expression, timeZone, every: null };
}

/** Why an expression is refused. Also what the parser takes for something else: an ISO date, say. */
function whyNotCron(expression: unknown): string | undefined {
  if (typeof expression !== 'string' || !/^[\x20-\x7e]*$/.test(expression)) {
    return 'it is no ASCII text';
  }
  if (expression.length > NAME_LENGTH.cron) {
    return `it is longer than ${NAME_LENGTH.cron} characters`;
  }
  const fields = expression === '' ? 0 : expression.split(' ').length;
  if (fields !== 5 && fields !== 6 && !NICKNAMES.includes(expression.toLowerCase())) {
    return `it has ${fields} ${fields === 1 ? 'field' : 'fields'}`;
  }
  // The parser takes whatever has a colon in it for a date, and one it cannot read for a schedule that never ticks.
  if (/[^\w*/,#?+@ -]/.test(expression)) {
    return 'it has characters that no expression has';
  }
  try {
    parseCron(expression, 'UTC');
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  }
  return firstTick({ cron: expression, timeZone: 'UTC' }, 0) === null ? 'there is no such day' : undefined;
}

function assertTimeZone(timeZone: unknown): asserts timeZone is string {
  // Not an offset, which newer releases of Node.js take and older ones do not.
  const isName = typeof timeZone === 'string' && /^[A-Za-z]/.test(timeZone) && timeZone.length <= NAME_LENGTH.timeZone;
  if (!isName || !isKnown(timeZone)) {
    throw new InvalidOptionError('timeZone', timeZone, "the name of an IANA time zone, such as 'Europe/Berlin'");
  }
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone }).format();
    return true;
  } catch {
    return false;
  }
}
