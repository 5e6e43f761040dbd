import { type Duration, LONGEST_TIMER, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { type HealthOptions, resolveLimits } from '../queue/health/check-health.js';
import { type HealthProblemKind, type HealthSeverity, PROBLEM_KINDS, SEVERITIES } from '../queue/health/problem.js';

/** The kinds of problems that each process finds alike. The others depend on the workers of one: see its `health()`. */
export type AlertKind = Exclude<HealthProblemKind, 'lease-lost' | 'orphaned-jobs' | 'maintenance-overdue'>;

/** Which problems of `health()` raise an alert. A problem raises that of the first rule that matches it. */
export interface AlertRule {
  /** The kinds of problems. Default: all kinds. */
  readonly kinds?: readonly AlertKind[];
  /** The least severity. Default: `'notice'`, which is any. */
  readonly severity?: HealthSeverity;
  /** Only problems that concern one of these queues. Default: all problems. */
  readonly queues?: readonly string[];
  /** How long the problem must last: 0 ms to 100 years. Default: 0 ms. */
  readonly for?: Duration;
}

/** Where alerts are sent. */
export interface AlertWebhook {
  /** An address with http or https. It is never stored or logged. */
  readonly url: string;
  /**
   * `'standard'`: JSON with the headers of Standard Webhooks. `'slack'`: a text, as incoming webhooks of Slack and
   * Mattermost take it. Default: `'standard'`.
   */
  readonly format?: 'standard' | 'slack';
  /**
   * Signs each request: `whsec_` and 24 to 64 bytes in Base64. Not with `'slack'`. It is never stored or logged.
   * Default: requests are not signed.
   */
  readonly secret?: string;
}

/** Alerts about the problems of `health()`. All workers must have the same. */
export interface AlertOptions extends Pick<HealthOptions, 'maxBacklogAge' | 'maxTransactionAge'> {
  /** The webhooks by name: 1 to 20. Each gets all alerts. A name is 1 to 64 of the characters A-Z a-z 0-9 . _ -. */
  readonly webhooks: Readonly<Record<string, AlertWebhook>>;
  /**
   * The rules by name, 1 to 50. A name is like that of a webhook. Default: `critical` problems that last 2 min, and
   * warnings that last 15 min.
   */
  readonly rules?: Readonly<Record<string, AlertRule>>;
  /** How often the rules are evaluated, over all processes together: 100 ms to 24 days. Default: 30 s. */
  readonly interval?: Duration;
  /** How many messages each webhook gets within an hour: 1 to 1,000. Default: 20. */
  readonly maxMessages?: number;
}

/** A rule, checked. Its duration is in ms. */
export interface ResolvedRule {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly severities: readonly HealthSeverity[];
  readonly queues: readonly string[] | undefined;
  readonly holdFor: number;
}

/** A webhook, checked. */
export interface ResolvedWebhook {
  readonly name: string;
  readonly url: string;
  readonly format: 'standard' | 'slack';
  readonly key: Buffer | undefined;
}

/** Alerts, checked and complete. Durations in ms. */
export interface ResolvedAlerts {
  readonly webhooks: ReadonlyMap<string, ResolvedWebhook>;
  readonly rules: readonly ResolvedRule[];
  readonly interval: number;
  readonly maxMessages: number;
  readonly health: HealthOptions;
}

const KINDS_OF_ONE_PROCESS = new Set<HealthProblemKind>(['lease-lost', 'orphaned-jobs', 'maintenance-overdue']);
const KINDS: readonly string[] = PROBLEM_KINDS.filter((kind) => !KINDS_OF_ONE_PROCESS.has(kind));
const DEFAULT_RULES: Readonly<Record<string, AlertRule>> = {
  critical: { severity: 'critical', for: '2m' },
  warning: { severity: 'warning', for: '15m' },
};
const NAME = /^[\w.-]{1,64}$/;

/** @throws InvalidOptionError, UnknownOptionError. No message has the address or the secret of a webhook. */
export function resolveAlerts(options: AlertOptions): ResolvedAlerts {
  const known = ['webhooks', 'rules', 'interval', 'maxMessages', 'maxBacklogAge', 'maxTransactionAge'];
  assertNamedOptions('alerts', options, known);
  const { webhooks, rules = DEFAULT_RULES, interval = '30s', maxMessages = 20, ...health } = options;
  resolveLimits(health);
  const resolved = entriesOf('alerts.webhooks', webhooks, 20).map(([name, each]) => resolveWebhook(name, each));
  return {
    webhooks: new Map(resolved.map((webhook) => [webhook.name, webhook])),
    rules: entriesOf('alerts.rules', rules, 50).map(([name, rule]) => resolveRule(name, rule)),
    interval: toMilliseconds('alerts.interval', interval, 100, LONGEST_TIMER),
    maxMessages: wholeNumber('alerts.maxMessages', maxMessages, 1, 1_000),
    health,
  };
}

function entriesOf<T>(option: string, named: Readonly<Record<string, T>>, most: number): [string, T][] {
  const names = namesOf(named) ?? [];
  if (names.length === 0 || names.length > most) {
    const accepted = `an object with 1 to ${most} names of 1 to 64 letters, digits, . _ or -`;
    throw new InvalidOptionError(option, shapeOf(named), accepted);
  }
  return Object.entries(named);
}

/** As `assertKnownOptions`, but no error shows a value or a name that may be an address. */
function assertNamedOptions(path: string, options: object, known: readonly string[]): void {
  if (!namesOf(options)) {
    throw new InvalidOptionError(path, shapeOf(options), `an object with options: ${known.join(', ')}`);
  }
  assertKnownOptions(options, known, `${path}.`);
}

/** The names of an object; undefined for another value, and if a name may be an address. */
function namesOf(value: unknown): string[] | undefined {
  const names = isObject(value) ? Object.keys(value) : undefined;
  return names?.every((name) => NAME.test(name)) ? names : undefined;
}

function isObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function shapeOf(value: unknown): string {
  return isObject(value) ? `an object with ${Object.keys(value).length} names` : typeof value;
}

function resolveRule(name: string, rule: AlertRule): ResolvedRule {
  assertNamedOptions(`alerts.rules.${name}`, rule, ['kinds', 'severity', 'queues', 'for']);
  const path = `alerts.rules.${name}.`;
  const { kinds = KINDS, severity = 'notice', queues } = rule;
  if (!Array.isArray(kinds) || kinds.length === 0 || !kinds.every((kind) => KINDS.includes(kind as string))) {
    throw new InvalidOptionError(`${path}kinds`, kinds, `a list of some of: ${KINDS.join(', ')}`);
  }
  if (!SEVERITIES.includes(severity)) {
    throw new InvalidOptionError(`${path}severity`, severity, `one of ${SEVERITIES.join(', ')}`);
  }
  if (queues !== undefined && !(Array.isArray(queues) && queues.length > 0)) {
    throw new InvalidOptionError(`${path}queues`, queues, 'a list of names of queues');
  }
  const severities = SEVERITIES.slice(0, SEVERITIES.indexOf(severity) + 1);
  return { name, kinds: kinds as string[], severities, queues, holdFor: toMilliseconds(`${path}for`, rule.for ?? 0) };
}

function resolveWebhook(name: string, webhook: AlertWebhook): ResolvedWebhook {
  const path = `alerts.webhooks.${name}`;
  assertNamedOptions(path, webhook, ['url', 'format', 'secret']);
  const { url, format = 'standard', secret } = webhook;
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw new InvalidOptionError(`${path}.url`, typeof url, 'an address with http or https, without user and password');
  }
  if (format !== 'standard' && format !== 'slack') {
    throw new InvalidOptionError(`${path}.format`, format, "'standard' or 'slack'");
  }
  if (secret !== undefined && format === 'slack') {
    throw new InvalidOptionError(
      `${path}.secret`,
      typeof secret,
      "left out with the format 'slack', which has no signature",
    );
  }
  return { name, url, format, key: secret === undefined ? undefined : keyOf(`${path}.secret`, secret) };
}

function keyOf(path: string, secret: unknown): Buffer {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(String(secret)) ?? [];
  const key = Buffer.from(text, 'base64');
  if (key.length < 24 || key.length > 64) {
    throw new InvalidOptionError(path, typeof secret, '`whsec_` and 24 to 64 bytes in Base64');
  }
  return key;
}
