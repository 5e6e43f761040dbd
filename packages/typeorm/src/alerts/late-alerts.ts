import { ALERTS_QUEUE } from '../definition/reserved-queues.js';
import type { BacklogHealth } from '../queue/health/facts.js';
import { span } from '../queue/health/problem.js';
import { unredacted } from '../redaction.js';
import { LATE_ALERT } from '../store/alerts/advance-alerts.js';
import { type AlertMessage, messageOf } from './alert-message.js';

/** From which age on a message is late, in ms. */
const LATE = 5 * 60_000;

/** Finds out whether messages wait for too long in the queue of alerts. */
export function lateAlerts(backlog: readonly BacklogHealth[]): BacklogHealth | undefined {
  return backlog.find(({ queue, age }) => queue === ALERTS_QUEUE && age > LATE);
}

/** The message about that. It is sent directly: as a job it would wait too. */
export function lateAlertMessage({ age, isPaused }: BacklogHealth): AlertMessage {
  const { rule, kind } = LATE_ALERT;
  const now = Date.now();
  return messageOf(
    {
      evaluatedAt: now,
      opened: [{ rule, kind, foundAt: now - age }],
      resolved: [],
      leftOut: 0,
      pausedUntil: undefined,
    },
    [
      {
        kind,
        severity: 'critical',
        message: `Alerts have waited for ${span(age)} in the queue ${ALERTS_QUEUE}${isPaused ? ', which is paused' : ''}.`,
        action: isPaused
          ? 'Resume the queue. No further alerts are sent before that.'
          : 'Check that the workers have free slots. No further alerts are sent before that.',
        count: 1,
        examples: [ALERTS_QUEUE],
      },
    ],
    unredacted,
  );
}
