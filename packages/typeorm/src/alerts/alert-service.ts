import { endsWithin } from '../async/ends-within.js';
import { ALERTS_QUEUE } from '../definition/reserved-queues.js';
import { type Engine, executeRead } from '../engine/engine.js';
import { isDatabaseUnavailable } from '../errors/index.js';
import type { QueueLogger } from '../logger.js';
import { MaintenanceService } from '../maintenance/maintenance-service.js';
import { Ticker } from '../maintenance/ticker.js';
import { checkHealth } from '../queue/health/check-health.js';
import type { BacklogHealth } from '../queue/health/facts.js';
import type { FoundProblem } from '../queue/health/problem.js';
import type { QueueServices } from '../queue/queue-services.js';
import { type FoundAlert, advanceAlerts, insertAlertWindow } from '../store/alerts/advance-alerts.js';
import { markLateAlertSent } from '../store/alerts/mark-late-alert-sent.js';
import { readClock } from '../store/base/read-clock.js';
import { alertJobs } from './alert-job.js';
import { type AlertProblem, messageOf } from './alert-message.js';
import type { ResolvedAlerts } from './alert-options.js';
import { lateAlertMessage, lateAlerts } from './late-alerts.js';
import { matchingRule } from './match-rules.js';
import { OutageAlerts, databaseAway } from './outage-alerts.js';
import { sendDirectly } from './send-directly.js';

/** How long a check of the health may take. An alert is no reason to give up on a slow server. */
const HEALTH_TIMEOUT = '10s';

/** How long an evaluation may take before the database counts as away, in ms. Longer than a check of the health. */
const PATIENCE = 15_000;

/** The time in which a webhook gets `maxMessages`, in ms. */
const WINDOW = 3_600_000;

/** A problem with the queues that rules can name. */
type FoundAlertProblem = AlertProblem & Pick<FoundProblem, 'queues'>;

/** Evaluates the rules of the alerts, in one process at a time. See docs/decisions/0143. */
export class AlertService extends MaintenanceService<BacklogHealth | undefined> {
  readonly task = 'alerts';
  private readonly outage: OutageAlerts;
  private hasWindow = false;

  /** @param onReady called after messages were stored in the queue of alerts. */
  constructor(
    engine: Engine,
    private readonly queue: QueueServices,
    private readonly alerts: ResolvedAlerts,
    private readonly logger: QueueLogger,
    onReady?: (queue: string) => void,
  ) {
    super(engine, onReady);
    this.outage = new OutageAlerts(alerts, logger, queue.redact);
  }

  ticker(): Ticker {
    return Ticker.for(this, this.alerts.interval, this.logger);
  }

  /** Each process that cannot use the database reports that: the leader cannot store a message about it. */
  override async runIfDue(interval: number, signal?: AbortSignal): Promise<BacklogHealth | undefined> {
    const run = super.runIfDue(interval, signal);
    try {
      while (!(await endsWithin(run, PATIENCE))) {
        if (signal?.aborted) {
          return undefined;
        }
        await this.outage.onAway(signal);
      }
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        await this.outage.onAway(signal);
      }
      throw error;
    }
    await this.outage.onBack(signal);
    // Outside of the patience: a slow webhook is no slow database.
    const late = await run;
    if (late) {
      await this.sendLate(late, signal);
    }
    return late;
  }

  /** @returns the backlog of messages that wait for too long, if that must be sent now. */
  override async runOnce(): Promise<BacklogHealth | undefined> {
    const { queue, engine, alerts } = this;
    const checkedAt = await executeRead(engine, 'read the clock', readClock);
    const limits = { ...alerts.health, timeout: HEALTH_TIMEOUT } as const;
    const health = await checkHealth(queue.healthReader, queue.workers, limits);
    const isPartial = health.database === 'down';
    const problems: readonly FoundAlertProblem[] = isPartial ? [{ ...databaseAway(), queues: [] }] : health.problems;
    const late = lateAlerts(health.backlog);
    const found = problems.flatMap((problem): FoundAlert[] => {
      const rule = matchingRule(alerts.rules, problem);
      return rule ? [{ rule: rule.name, kind: problem.kind, holdFor: rule.holdFor }] : [];
    });
    if (!this.hasWindow) {
      await engine.execute(insertAlertWindow, { purpose: 'register alerts' });
    }
    const evaluation = { checkedAt, found, isPartial, isLate: late !== undefined };
    const limit = { messages: alerts.maxMessages, window: WINDOW };
    const outcome = await engine.execute(
      (dialect) =>
        advanceAlerts(dialect, evaluation, limit, (change) =>
          alertJobs(alerts, messageOf(change, problems, queue.redact)),
        ),
      { purpose: 'store alerts', atomic: true },
    );
    // A truncated table gets its row again.
    this.hasWindow = outcome !== 'taken';
    if (outcome === 'sent') {
      this.onReady(ALERTS_QUEUE);
    }
    return outcome === 'late' ? late : undefined;
  }

  private async sendLate(late: BacklogHealth, signal?: AbortSignal): Promise<void> {
    const { engine, alerts, logger } = this;
    const sent = await sendDirectly([...alerts.webhooks.values()], lateAlertMessage(late), logger, signal);
    if (sent.length > 0) {
      await engine.execute(markLateAlertSent, { purpose: 'store that an alert was sent' });
    }
  }
}
