import { Count } from './counts.js';
import { type Infer, TIME, component, described, integer, listOf, nullable, text } from './json-schema.js';

export type SubscriptionRow = Infer<typeof SubscriptionRow>;
export const SubscriptionRow = component('SubscriptionRow', {
  event: described(text(), 'the name of the event'),
  name: text(),
  queue: described(text(), 'of its jobs'),
  job: described(text(), 'the name of its jobs'),
  priority: described(integer(-1000), 'of its jobs'),
  registeredAt: TIME,
  unhandledSince: described(
    nullable(TIME),
    'since when no worker has its handler; null if one had it in the last 5 min',
  ),
  unfinished: described(Count, 'its jobs that have not ended, of the first 1,000 of each state in its queue'),
  oldestAt: described(nullable(TIME), 'when the oldest of them was stored; null without one'),
});

export type SubscriptionPage = Infer<typeof SubscriptionPage>;
export const SubscriptionPage = component('SubscriptionPage', {
  subscriptions: described(listOf(SubscriptionRow), 'by event'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});
