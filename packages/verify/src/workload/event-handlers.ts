import { setTimeout as sleep } from 'node:timers/promises';

import { type JobHandler, eventHandler } from '@tablequeue/typeorm';

import type { Journal } from '../journal/journal.js';
import type { Payload } from './definitions.js';
import { BOOKS, MAILING, deliveryToken, publishedEvent } from './events.js';
import { recordCall } from './record-call.js';
import { EffectRow } from './verify-tables.js';

/** Returns the handlers of all subscriptions. They record each call. */
export function subscriptionHandlers(journal: Journal, process: string): JobHandler[] {
  const mailing = eventHandler(publishedEvent, MAILING, (payload, job) =>
    recordCall(journal, deliveryOf(payload, MAILING), job, () => sleep(payload.work)),
  );
  const books = eventHandler(publishedEvent, { ...BOOKS, transactional: true }, (payload, job) => {
    const delivery = deliveryOf(payload, BOOKS);
    return recordCall(journal, delivery, job, async () => {
      const { attempt, manager } = job;
      await manager.insert(EffectRow, { token: delivery.token, attempt, process });
      await sleep(payload.work);
    });
  });
  return [mailing, books];
}

function deliveryOf(payload: Payload, { subscription }: { readonly subscription: string }): Payload {
  return { ...payload, token: deliveryToken(payload.token, subscription) };
}
