import { setTimeout as sleep } from 'node:timers/promises';

import { type JobContext, type JobHandler, type SubscriptionOptions, eventHandler } from '@tablequeue/typeorm';

import type { Journal } from '../journal/journal.js';
import type { Payload } from './definitions.js';
import { ARCHIVE, BOOKS, HISTORY, MAILING, deliveryToken, publishedEvent } from './events.js';
import { recordCall } from './record-call.js';
import { EffectRow } from './verify-tables.js';

/** Returns the handlers of all subscriptions but `HISTORY`. They record each call. */
export function subscriptionHandlers(journal: Journal, process: string): JobHandler[] {
  const books = eventHandler(publishedEvent, { ...BOOKS, transactional: true }, (payload, job) => {
    const delivery = withToken(payload, BOOKS, job);
    return recordCall(journal, delivery, job, async () => {
      const { attempt, manager } = job;
      await manager.insert(EffectRow, { token: delivery.token, attempt, process });
      await sleep(payload.work);
    });
  });
  return [plainHandler(journal, MAILING), books, plainHandler(journal, ARCHIVE)];
}

/** Returns the handler of the subscription that is registered during the load. */
export function historyHandler(journal: Journal): JobHandler {
  return plainHandler(journal, HISTORY);
}

function plainHandler(journal: Journal, options: SubscriptionOptions): JobHandler {
  return eventHandler(publishedEvent, options, (payload, job) =>
    recordCall(journal, withToken(payload, options, job), job, () => sleep(payload.work)),
  );
}

function withToken(payload: Payload, { subscription }: SubscriptionOptions, { id }: JobContext): Payload {
  return { ...payload, token: deliveryToken(payload.token, subscription, id) };
}
