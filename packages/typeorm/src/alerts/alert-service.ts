import { endsWithin } from '../async/ends-within.js';
import { type Engine, executeRead } from '../engine/engine.js';
import { DatabaseUnavailableError, isDatabaseUnavailable } from '../errors/index.js';
import type { QueueLogger } from '../logger.js';
import { MaintenanceService } from '../maintenance/maintenance-service.js';
import { Ticker } from '../maintenance/ticker.js';
import { checkHealth } from '../queue/health/check-health.js';
import type { QueueServices } from '../queue/queue-services.js';
import { type FoundAlert, advanceAlerts, insertAlertWindow } from '../store/alerts/advance-alerts.js';
import { readClock } from '../store/base/read-clock.js';
import { ALERTS_QUEUE, alertJobs } from './alert-job.js';
import { messageOf } from './alert-message.js';
import type { ResolvedAlerts } from './alert-options.js';
import { matchingRule } from './match-rules.js';
import { OutageAlerts } from './outage-alerts.js';

/** How long the database may take before it counts as away, in ms. */
const PATIENCE = 10_000;

/** The time in which a webhook gets `maxMessages`, in ms. */
const WINDOW = 3_600_000;

/** Evaluates the rules of the alerts, in one process at a time. See docs/decisions/0143. */
export class AlertService extends MaintenanceService<void> {
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
    this.outage = new OutageAlerts(alerts, logger);
  }

  ticker(): Ticker {
    return Ticker.for(this, this.alerts.interval, this.logger);
  }

  /** Each process that cannot use the database reports that: the leader cannot store a message about it. */
  override async runIfDue(interval: number, signal?: AbortSignal): Promise<void> {
    const run = super.runIfDue(interval, signal);
    try {
      while (!(await endsWithin(run, PATIENCE))) {
        await this.outage.onAway();
      }
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        await this.outage.onAway();
      }
      throw error;
    }
    await this.outage.onBack();
  }

  override async runOnce(): Promise<void> {
    const { queue, engine, alerts } = this;
    const checkedAt = await executeRead(engine, 'read the clock', readClock);
    const { database, problems } = await checkHealth(queue.healthReader, queue.workers, alerts.health);
    if (database === 'down') {
      throw new DatabaseUnavailableError('check the health of the queue', problems[0]?.message);
    }
    const found = problems.flatMap((problem): FoundAlert[] => {
      const rule = matchingRule(alerts.rules, problem);
      return rule ? [{ rule: rule.name, kind: problem.kind, holdFor: rule.holdFor }] : [];
    });
    if (!this.hasWindow) {
      await engine.execute(insertAlertWindow, { purpose: 'register alerts' });
    }
    const limit = { messages: alerts.maxMessages, window: WINDOW };
    const outcome = await engine.execute(
      (dialect) =>
        advanceAlerts(dialect, checkedAt, found, limit, (change) =>
          alertJobs(alerts, messageOf(change, problems, queue.redact)),
        ),
      { purpose: 'store alerts', atomic: true },
    );
    // A truncated table gets its row again.
    this.hasWindow = outcome !== 'taken';
    if (outcome === 'sent') {
      this.onReady(ALERTS_QUEUE);
    }
  }
}
