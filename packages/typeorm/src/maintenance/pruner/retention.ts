import { type Duration, toMilliseconds } from '../../duration.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { OUTCOMES, type Outcome } from '../../tables/history.js';

/** How long finished jobs of one outcome stay in the history: until one of the two is exceeded. */
export interface RetentionRule {
  /** Deleted when they finished longer ago than this. Left out: age does not count. */
  readonly age?: Duration;
  /**
   * Only about this many are kept, the newest ones, over all queues together: 0 to 100,000,000. Failed jobs are counted
   * by when they failed, others by when they were created. Left out: their number does not count.
   */
  readonly count?: number;
}

/**
 * What is kept of finished jobs, by outcome; `false` keeps all of an outcome. A finished group of jobs is kept for the
 * longest `age`, or 30 days where there is none; unless everything is kept. Processes on one database should say the
 * same: each run of the pruner goes by the options of the process that does it.
 */
export interface RetentionOptions {
  /** Default: `{ age: '7d' }`. */
  readonly succeeded?: RetentionRule | false;
  /** Default: `{ age: '30d' }`. */
  readonly failed?: RetentionRule | false;
  /** Default: `{ age: '30d' }`. */
  readonly cancelled?: RetentionRule | false;
  /** How long it is kept who has done what by hand: see `QueueActivity.audit`. Default: `{ age: '90d' }`. */
  readonly audit?: { readonly age: Duration } | false;
}

/** A rule, checked. Age in ms; null where it does not count. */
export interface ResolvedRule {
  readonly age: number | null;
  readonly count: number | null;
}

/** The rule of each outcome. */
export type ResolvedRetention = Readonly<Record<Outcome, ResolvedRule>>;

const KEEP_ALL: ResolvedRule = { age: null, count: null };
const DEFAULTS: Readonly<Record<Outcome, RetentionRule>> = {
  succeeded: { age: '7d' },
  failed: { age: '30d' },
  cancelled: { age: '30d' },
};
const MOST_KEPT = 100_000_000;

/**
 * @param retention false keeps everything.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveRetention(retention: RetentionOptions | false = {}): ResolvedRetention {
  if (retention === false) {
    return { succeeded: KEEP_ALL, failed: KEEP_ALL, cancelled: KEEP_ALL };
  }
  assertKnownOptions(retention, [...OUTCOMES, 'audit'], 'retention.');
  const ruleOf = (outcome: Outcome) => resolveRule(`retention.${outcome}`, retention[outcome] ?? DEFAULTS[outcome]);
  return { succeeded: ruleOf('succeeded'), failed: ruleOf('failed'), cancelled: ruleOf('cancelled') };
}

/**
 * How long actions by hand are kept, in ms; null keeps them all.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveAuditAge(retention: RetentionOptions | false = {}): number | null {
  const rule = retention === false ? false : (retention.audit ?? { age: '90d' });
  if (rule === false) {
    return null;
  }
  assertKnownOptions(rule, ['age'], 'retention.audit.');
  return toMilliseconds('retention.audit.age', rule.age);
}

function resolveRule(path: string, rule: RetentionRule | false): ResolvedRule {
  if (rule === false) {
    return KEEP_ALL;
  }
  assertKnownOptions(rule, ['age', 'count'], `${path}.`);
  const { age, count } = rule;
  if (age === undefined && count === undefined) {
    throw new InvalidOptionError(path, rule, '{ age }, { count }, both, or false to keep everything');
  }
  return {
    age: age === undefined ? null : toMilliseconds(`${path}.age`, age),
    count: count === undefined ? null : wholeNumber(`${path}.count`, count, 0, MOST_KEPT),
  };
}
