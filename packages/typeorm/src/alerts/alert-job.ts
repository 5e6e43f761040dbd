import { makeJobDefinition } from '../definition/job-definition.js';
import { newJobId } from '../definition/job-id.js';
import { ALERTS_QUEUE } from '../definition/reserved-queues.js';
import { AlertNotSentError, UnrecoverableJobError } from '../errors/index.js';
import { exponential } from '../retry/backoff.js';
import type { NewJob } from '../store/base/jobs/new-job.js';
import { type JobHandler, jobHandler } from '../worker/handlers/job-handler.js';
import type { AlertMessage } from './alert-message.js';
import type { ResolvedAlerts } from './alert-options.js';
import { sendWebhook } from './send-webhook.js';

/** No definition of an application has such a name. */
const ALERT_JOB = '@alert';

/** How much later than its evaluation a message may be due, in ms. Its own retries end before. */
const OUTDATED = 2 * 3_600_000;

interface AlertPayload {
  /** Its name: an address can have a secret, which is not stored. */
  readonly webhook: string;
  readonly message: AlertMessage;
}

const definition = makeJobDefinition(ALERT_JOB, {
  queue: ALERTS_QUEUE,
  // About an hour.
  retry: { attempts: 16, backoff: exponential({ from: '1s', max: '10m' }) },
});

/** Sends the messages of the queue. */
export function alertHandler({ webhooks }: ResolvedAlerts): JobHandler {
  return jobHandler(definition, async (payload, { id, runAt, signal }) => {
    const { webhook: name, message } = payload as AlertPayload;
    // A retry by hand makes it due again. While it only waits, as in a paused queue, it stays due since it was stored.
    if (runAt.getTime() - Date.parse(message.evaluatedAt) > OUTDATED) {
      throw new UnrecoverableJobError(
        `The alert was found at ${message.evaluatedAt}, and its job was made due more than two hours later. It is not ` +
          'sent, because it may be outdated. Delete the job.',
      );
    }
    const webhook = webhooks.get(name);
    if (!webhook) {
      throw new AlertNotSentError(name, 'this process has no webhook of that name');
    }
    await sendWebhook(webhook, message, id, signal);
  });
}

/** A job for each webhook, so that one that fails does not repeat the others. */
export function alertJobs({ webhooks }: ResolvedAlerts, message: AlertMessage): NewJob[] {
  return [...webhooks.keys()].map((webhook) => {
    const payload: AlertPayload = { webhook, message };
    return {
      id: newJobId(),
      name: ALERT_JOB,
      queue: ALERTS_QUEUE,
      key: null,
      tenant: null,
      payload: JSON.stringify(payload),
      payloadVersion: 1,
      priority: 0,
      due: { delay: 0 },
      unique: null,
      order: null,
    };
  });
}
