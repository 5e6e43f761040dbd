import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { type QueueLogger, logError } from '../logger.js';
import type { AlertMessage } from './alert-message.js';
import type { ResolvedAlerts, ResolvedWebhook } from './alert-options.js';
import { matchingRule } from './match-rules.js';
import { sendWebhook } from './send-webhook.js';

/** After a report of an outage, how long a process reports no further one to the same webhook, in ms. */
const QUIET = 3_600_000;

/**
 * Reports that the database is away, straight from this process and without any table: each process that sees it sends
 * one message, at most one an hour, and one when the database is back.
 */
export class OutageAlerts {
  /** When the outage began, by `performance.now()` and by this process's clock. */
  private since: { readonly at: number; readonly date: Date } | undefined;
  /** When a webhook last got a report, by `performance.now()`. */
  private readonly reportedAt = new Map<string, number>();
  /** The webhooks that have to know when the database is back, and when they got the report. */
  private readonly open = new Map<string, Date>();

  constructor(
    private readonly alerts: ResolvedAlerts,
    private readonly logger: QueueLogger,
  ) {}

  /** Call it at each interval while the database is away. A report that fails is sent again then. */
  async onAway(): Promise<void> {
    const rule = matchingRule(this.alerts.rules, { kind: 'database-down', severity: 'critical', queues: [] });
    const now = performance.now();
    this.since ??= { at: now, date: new Date() };
    const { at, date } = this.since;
    if (!rule || now - at < rule.holdFor) {
      return;
    }
    const message: AlertMessage = {
      opened: [
        {
          rule: rule.name,
          kind: 'database-down',
          severity: 'critical',
          // Not the error: it can have the names of hosts and accounts.
          message: `The process ${process.pid} on ${hostname()} cannot use the database of the queue.`,
          action: 'Check the database and the network. The logs of the process have the error.',
          count: 1,
          examples: [],
          since: date.toISOString(),
        },
      ],
      resolved: [],
      leftOut: 0,
      pausedUntil: null,
    };
    const due = [...this.alerts.webhooks.values()].filter(({ name }) => {
      return !this.open.has(name) && now - (this.reportedAt.get(name) ?? -Infinity) >= QUIET;
    });
    await this.sendAll(due, message, (name) => {
      this.reportedAt.set(name, now);
      this.open.set(name, new Date());
    });
  }

  /** Call it when the database has answered. */
  async onBack(): Promise<void> {
    this.since = undefined;
    const rule = matchingRule(this.alerts.rules, { kind: 'database-down', severity: 'critical', queues: [] });
    for (const [name, openedAt] of this.open) {
      const resolved = [{ rule: rule?.name ?? '', kind: 'database-down' as const, openedAt: openedAt.toISOString() }];
      const message: AlertMessage = { opened: [], resolved, leftOut: 0, pausedUntil: null };
      const webhook = this.alerts.webhooks.get(name) as ResolvedWebhook;
      await this.sendAll([webhook], message, () => this.open.delete(name));
    }
  }

  private async sendAll(
    webhooks: readonly ResolvedWebhook[],
    message: AlertMessage,
    onSent: (name: string) => void,
  ): Promise<void> {
    await Promise.all(
      webhooks.map(async (webhook) => {
        try {
          await sendWebhook(webhook, message, randomUUID());
          onSent(webhook.name);
        } catch (error) {
          logError(this.logger, 'An alert about the database could not be sent and is tried again', error);
        }
      }),
    );
  }
}
