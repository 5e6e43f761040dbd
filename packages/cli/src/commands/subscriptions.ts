import type { EventSubscription } from '@tablequeue/typeorm';
import { subscriptionJobName } from '@tablequeue/typeorm/internal';

import { useQueue } from '../connection/open.js';
import { type Column, renderTable } from '../terminal/table.js';
import { timeOf } from '../terminal/words.js';
import { readSubscriptions, unfinishedOf } from './all-subscriptions.js';
import { type AddCommand, type CommonOptions, addDatabaseCommand } from './command.js';

const COLUMNS: readonly Column[] = [
  { title: 'event' },
  { title: 'subscription' },
  { title: 'queue' },
  { title: 'unfinished', isNumber: true },
  { title: 'oldest since' },
  { title: 'no worker since' },
];

/** `tablequeue subscriptions` */
export const addSubscriptions: AddCommand = (program, context) => {
  addDatabaseCommand(program, 'subscriptions', 'Lists the subscriptions of events, and how far each is behind.', [
    'subscriptions',
    'subscriptions --json',
  ]).action(async (options: CommonOptions) => {
    await useQueue(options, context, async ({ queue }) => {
      const subscriptions = await readSubscriptions(queue);
      if (options.json) {
        context.output.json(subscriptions.map(asJson));
      } else if (subscriptions.length === 0) {
        context.output.print('No event has a subscription.');
      } else {
        context.output.print(...renderTable(COLUMNS, subscriptions.map(toCells)));
      }
    });
  });
};

function toCells(subscription: EventSubscription): string[] {
  const { event, name, queue, oldestAt, unhandledSince } = subscription;
  const timeOrNone = (time: Date | undefined) => (time ? timeOf(time.getTime()) : '');
  return [event, name, queue, unfinishedOf(subscription), timeOrNone(oldestAt), timeOrNone(unhandledSince)];
}

function asJson({ oldestAt, unhandledSince, ...subscription }: EventSubscription): object {
  const job = subscriptionJobName(subscription.event, subscription.name);
  return { ...subscription, job, oldestAt: oldestAt ?? null, unhandledSince: unhandledSince ?? null };
}
