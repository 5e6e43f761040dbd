import type { EventSubscription } from '@tablequeue/typeorm';
import { defined, subscriptionJobName } from '@tablequeue/typeorm/internal';

import { route } from '../api/route.js';
import { SubscriptionPage, type SubscriptionRow } from '../contract/index.js';
import { described, integer, text } from '../contract/json-schema.js';

const PAGE = 50;

export const listSubscriptions = route({
  name: 'listSubscriptions',
  method: 'GET',
  path: 'events/subscriptions',
  summary: 'Subscriptions of events with their unfinished jobs, page by page, by event',
  query: {
    optional: {
      cursor: described(text(100), 'the `next` of the previous page'),
      limit: described(integer(1, 200), `subscriptions per page; default: ${PAGE}`),
    },
  },
  response: SubscriptionPage,
  run: async ({ database, query: { cursor, limit = PAGE } }) => {
    const options = { limit, ...defined({ after: cursor }) };
    const { subscriptions, next } = await database.reads.getOrRead(['subscriptions', options], () =>
      database.queue.subscriptions.list(options),
    );
    return { subscriptions: subscriptions.map(toRow), next: next ?? null };
  },
});

function toRow(subscription: EventSubscription): SubscriptionRow {
  const { event, name, queue, priority, registeredAt, unhandledSince, unfinished, isCapped, oldestAt } = subscription;
  return {
    event,
    name,
    queue,
    job: subscriptionJobName(event, name),
    priority,
    registeredAt: registeredAt.getTime(),
    unhandledSince: unhandledSince?.getTime() ?? null,
    unfinished: { count: unfinished, isCapped },
    oldestAt: oldestAt?.getTime() ?? null,
  };
}
