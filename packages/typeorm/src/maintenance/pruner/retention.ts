import { type Duration, toMilliseconds } from '../../duration.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { OUTCOMES, type Outcome } from '../../tables/job.js';

/** How long finished jobs of one outcome are kept: until they exceed either limit. */
export interface RetentionRule {
  /** How long a job is kept after it finished, 0 to 36,500 days. Default: jobs of any age are kept. */
  readonly age?: Duration;
  /**
   * How many of the jobs that finished last are kept in each queue: 0 to 100,000,000. Default: any number is kept.
   */
  readonly count?: number;
}

/**
 * How long finished jobs are kept, by outcome; `false` keeps all jobs of an outcome. A finished group is kept for the
 * longest `age`, or for 30 days if there is none; it is kept without a limit if all jobs are. Use the same values in
 * all processes: each run of the pruner uses the options of its process.
 */
export interface RetentionOptions {
  /** Succeeded jobs. Default: `{ age: '7d' }`. */
  readonly succeeded?: RetentionRule | false;
  /** Failed jobs. Default: `{ age: '30d' }`. */
  readonly failed?: RetentionRule | false;
  /** Cancelled jobs. Default: `{ age: '30d' }`. */
  readonly cancelled?: RetentionRule | false;
  /** Expired jobs. Default: `{ age: '30d' }`. */
  readonly expired?: RetentionRule | false;
  /** The audit log of manual actions, and ended bulk operations: see `QueueActivity.audit`. Default: `{ age: '90d' }`. */
  readonly audit?: { readonly age: Duration } | false;
}

/** A validated rule. The age is in ms; null: no limit. */
export interface ResolvedRule {
  readonly age: number | null;
  readonly count: number | null;
}

export type ResolvedRetention = Readonly<Record<Outcome, ResolvedRule>>;

const KEEP_ALL: ResolvedRule = { age: null, count: null };
const DEFAULTS: Readonly<Record<Outcome, RetentionRule>> = {
  succeeded: { age: '7d' },
  failed: { age: '30d' },
  cancelled: { age: '30d' },
  expired: { age: '30d' },
};
const MOST_KEPT = 100_000_000;

/**
 * Validates the retention and applies its defaults.
 *
 * @param retention false keeps everything.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveRetention(retention: RetentionOptions | false = {}): ResolvedRetention {
  if (retention === false) {
    return { succeeded: KEEP_ALL, failed: KEEP_ALL, cancelled: KEEP_ALL, expired: KEEP_ALL };
  }
  assertKnownOptions(retention, [...OUTCOMES, 'audit'], 'retention.');
  const ruleOf = (outcome: Outcome) => resolveRule(`retention.${outcome}`, retention[outcome] ?? DEFAULTS[outcome]);
  return {
    succeeded: ruleOf('succeeded'),
    failed: ruleOf('failed'),
    cancelled: ruleOf('cancelled'),
    expired: ruleOf('expired'),
  };
}

/**
 * Returns how long the audit log is kept, in ms; null keeps it all.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveAuditAge(retention: RetentionOptions | false = {}): number | null {
  const rule = retention === false ? false : (retention.audit ?? { age: '90d' });
  if (rule === false) {
    return null;
  }
  assertObject('retention.audit', rule, '{ age }, or false to keep everything');
  assertKnownOptions(rule, ['age'], 'retention.audit.');
  return toMilliseconds('retention.audit.age', rule.age);
}

function resolveRule(path: string, rule: RetentionRule | false): ResolvedRule {
  if (rule === false) {
    return KEEP_ALL;
  }
  const accepted = '{ age }, { count }, both, or false to keep everything';
  assertObject(path, rule, accepted);
  assertKnownOptions(rule, ['age', 'count'], `${path}.`);
  const { age, count } = rule;
  if (age === undefined && count === undefined) {
    throw new InvalidOptionError(path, rule, accepted);
  }
  return {
    age: age === undefined ? null : toMilliseconds(`${path}.age`, age),
    count: count === undefined ? null : wholeNumber(`${path}.count`, count, 0, MOST_KEPT),
  };
}

/** Suggests `{ age: '30d' }` for `'30d'`. */
function assertObject(path: string, rule: unknown, accepted: string): void {
  if (typeof rule !== 'object' || rule === null) {
    const suggestion = typeof rule === 'string' ? `. Write { age: '${rule}' }` : '';
    throw new InvalidOptionError(path, rule, `${accepted}${suggestion}`);
  }
}
