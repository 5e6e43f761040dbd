import { createHmac } from 'node:crypto';

import { AlertNotSentError } from '../errors/index.js';
import { type AlertMessage, bodyOf } from './alert-message.js';
import type { ResolvedWebhook } from './alert-options.js';

/** How long a receiver may take, in ms. */
const TIMEOUT = 10_000;

/**
 * Sends a message, signed as Standard Webhooks has it: HMAC-SHA256 of id, time and body. Follows no redirect.
 *
 * @param id the same for each try of a message, so that a receiver can ignore repeated ones.
 * @throws AlertNotSentError without the address of the webhook.
 */
export async function sendWebhook(
  { name, url, format, key }: ResolvedWebhook,
  message: AlertMessage,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  const body = bodyOf(format, message);
  const time = String(Math.floor(Date.now() / 1000));
  const signature = key && createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': time,
        ...(signature !== undefined && { 'webhook-signature': `v1,${signature}` }),
      },
      body,
      // Not followed: it would send the message to another address.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT), ...(signal ? [signal] : [])]),
    });
  } catch (error) {
    throw new AlertNotSentError(name, reasonOf(error));
  }
  await response.body?.cancel();
  if (!response.ok) {
    throw new AlertNotSentError(name, `its receiver answered ${response.status}`);
  }
}

/** Not the message: it can have the address. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : name;
}
