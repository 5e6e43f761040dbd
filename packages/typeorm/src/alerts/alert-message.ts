import type { Redact } from '../redaction.js';
import type { HealthProblem, HealthSeverity } from '../queue/health/problem.js';
import type { AlertChange } from '../store/alerts/advance-alerts.js';
import type { AlertKind } from './alert-options.js';

/** A problem that has lasted as long as its rule demands. */
export interface OpenedAlert {
  /** The name of the rule. */
  readonly rule: string;
  readonly kind: AlertKind;
  readonly severity: HealthSeverity;
  /** What is wrong, in one sentence with the figures. */
  readonly message: string;
  /** What to do. */
  readonly action: string;
  /** How many jobs, queues, workers, tasks, keys or schedules are affected. */
  readonly count: number;
  /** Up to three of them: names or ids. */
  readonly examples: readonly string[];
  /** Since when the rules have found it: ISO 8601. */
  readonly since: string;
}

/** An alert whose problem has ended. */
export interface ResolvedAlert {
  /** The name of the rule. */
  readonly rule: string;
  readonly kind: AlertKind;
  /** When it was sent: ISO 8601. */
  readonly openedAt: string;
}

/** What a webhook of the format `'standard'` gets as `data`: all alerts that opened or ended in one evaluation. */
export interface AlertMessage {
  /** When the rules were evaluated: ISO 8601. Messages can arrive in another order, because they are retried. */
  readonly evaluatedAt: string;
  readonly opened: readonly OpenedAlert[];
  readonly resolved: readonly ResolvedAlert[];
  /** How many alerts began and ended without a message, because there were too many messages. */
  readonly leftOut: number;
  /** Until when no message follows, because there were too many: ISO 8601; null if messages may follow. */
  readonly pausedUntil: string | null;
}

/** The part of a problem that a message has. */
export type AlertProblem = Pick<HealthProblem, 'kind' | 'severity' | 'message' | 'action' | 'count' | 'examples'>;

/** Describes a change. Texts are redacted: they have names, but no payloads. */
export function messageOf(
  { evaluatedAt, opened, resolved, leftOut, pausedUntil }: AlertChange,
  problems: readonly AlertProblem[],
  redact: Redact,
): AlertMessage {
  return {
    evaluatedAt: iso(evaluatedAt),
    opened: opened.flatMap(({ rule, kind, foundAt }) => {
      const found = problems.find((problem) => problem.kind === kind);
      return found ? openedAlert(rule, found, foundAt, redact) : [];
    }),
    resolved: resolved.map(({ rule, kind, openedAt }) => {
      return { rule, kind: kind as AlertKind, openedAt: iso(openedAt) };
    }),
    leftOut,
    pausedUntil: pausedUntil === undefined ? null : iso(pausedUntil),
  };
}

function openedAlert(rule: string, problem: AlertProblem, since: number, redact: Redact): OpenedAlert {
  const { severity, message, action, count, examples } = problem;
  return {
    rule,
    kind: problem.kind as AlertKind,
    severity,
    message: redact(message),
    action: redact(action),
    count,
    examples: examples.map(redact),
    since: iso(since),
  };
}

/** The body of a request, as JSON text. */
export function bodyOf(format: 'standard' | 'slack', message: AlertMessage): string {
  return JSON.stringify(
    format === 'slack'
      ? { text: textOf(message) }
      : { type: 'tablequeue.alert', timestamp: message.evaluatedAt, data: message },
  );
}

/** A message for people. Without the escapes, a name or a key could become a link, or mention all of a channel. */
function textOf({ opened, resolved, leftOut, pausedUntil }: AlertMessage): string {
  const lines = [
    ...opened.map(({ severity, message, action, since }) => `*${severity}* since ${since}: ${message} ${action}`),
    ...resolved.map(({ kind, openedAt }) => `*resolved*: ${kind}, reported at ${openedAt}.`),
    ...(leftOut > 0 ? [`${leftOut} alerts began and ended without a message: there were too many.`] : []),
    ...(pausedUntil === null ? [] : [`There were too many messages. The next one follows after ${pausedUntil}.`]),
  ];
  const text = lines.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  // Mattermost has mentions without markup. U+200B is invisible.
  return text.replaceAll('@', '@\u200B');
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
