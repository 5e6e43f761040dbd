import { randomUUID } from 'node:crypto';

import { type QueueLogger, logError } from '../logger.js';
import type { AlertMessage } from './alert-message.js';
import type { ResolvedWebhook } from './alert-options.js';
import { sendWebhook } from './send-webhook.js';

/**
 * Sends a message straight from this process, without any table. Logs errors.
 *
 * @returns the names of the webhooks that took it.
 */
export async function sendDirectly(
  webhooks: readonly ResolvedWebhook[],
  message: AlertMessage,
  logger: QueueLogger,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const sent = await Promise.all(
    webhooks.map(async (webhook) => {
      try {
        await sendWebhook(webhook, message, randomUUID(), signal);
        return [webhook.name];
      } catch (error) {
        if (!signal?.aborted) {
          logError(logger, 'An alert could not be sent and is tried again', error);
        }
        return [];
      }
    }),
  );
  return sent.flat();
}
