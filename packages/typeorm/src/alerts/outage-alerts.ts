import { hostname } from 'node:os';

import type { QueueLogger } from '../logger.js';
import type { Redact } from '../redaction.js';
import type { AlertChange } from '../store/alerts/advance-alerts.js';
import { type AlertMessage, type AlertProblem, messageOf } from './alert-message.js';
import type { ResolvedAlerts, ResolvedRule, ResolvedWebhook } from './alert-options.js';
import { matchingRule } from './match-rules.js';
import { sendDirectly } from './send-directly.js';

/** After a report of an outage, how long a process reports no further one to the same webhook, in ms. */
const QUIET = 3_600_000;

/** Returns the problem of a database that does not answer. Without its error, which can name hosts and accounts. */
export function databaseAway(): AlertProblem {
  return {
    kind: 'database-down',
    severity: 'critical',
    message: `The process ${process.pid} on ${hostname()} cannot use the database of the queue.`,
    action: 'Check the database and the network. The logs of the process have the error.',
    count: 1,
    examples: [],
  };
}

/**
 * Reports that the database is away, straight from this process and without any table. Each process that sees it sends
 * one message, at most one an hour, and one when the database is back.
 */
export class OutageAlerts {
  /** When the outage began, by `performance.now()` and by this process's clock. */
  private since: { readonly at: number; readonly date: number } | undefined;
  /** When a webhook last got a report, by `performance.now()`. */
  private readonly reportedAt = new Map<string, number>();
  /** The webhooks that have to know when the database is back, and when they got the report. */
  private readonly open = new Map<string, number>();
  /** The rule of the outage; undefined if there is none. */
  private readonly rule: ResolvedRule | undefined;

  constructor(
    private readonly alerts: ResolvedAlerts,
    private readonly logger: QueueLogger,
    private readonly redact: Redact,
  ) {
    this.rule = matchingRule(alerts.rules, { ...databaseAway(), queues: [] });
  }

  /** Call it at each interval while the database is away. A report that fails is sent again then. */
  async onAway(signal?: AbortSignal): Promise<void> {
    const { rule, alerts, logger } = this;
    const now = performance.now();
    this.since ??= { at: now, date: Date.now() };
    const { at, date } = this.since;
    if (!rule || now - at < rule.holdFor) {
      return;
    }
    const due = [...alerts.webhooks.values()].filter(({ name }) => {
      return !this.open.has(name) && now - (this.reportedAt.get(name) ?? -Infinity) >= QUIET;
    });
    const opened = [{ rule: rule.name, kind: 'database-down', foundAt: date }];
    for (const name of await sendDirectly(due, this.describe({ opened }), logger, signal)) {
      this.reportedAt.set(name, now);
      this.open.set(name, Date.now());
    }
  }

  /** Call it when the database has answered. */
  async onBack(signal?: AbortSignal): Promise<void> {
    this.since = undefined;
    const { open, rule, alerts, logger } = this;
    await Promise.all(
      [...open].map(async ([name, openedAt]) => {
        const resolved = [{ rule: rule?.name ?? '', kind: 'database-down', openedAt }];
        const webhook = alerts.webhooks.get(name) as ResolvedWebhook;
        const sent = await sendDirectly([webhook], this.describe({ resolved }), logger, signal);
        sent.forEach((each) => open.delete(each));
      }),
    );
  }

  private describe(change: Partial<AlertChange>): AlertMessage {
    const nothing = { evaluatedAt: Date.now(), opened: [], resolved: [], leftOut: 0, pausedUntil: undefined };
    return messageOf({ ...nothing, ...change }, [databaseAway()], this.redact);
  }
}
