import { type EventHandlerOptions, defineEvent } from '@tablequeue/typeorm';

import { type Payload, effectJob, plainJob, retry } from './definitions.js';

/** The event of a run. Each of its subscriptions gets a job for each event. */
export const publishedEvent = defineEvent<Payload>('published');

/** The subscriptions: a plain one, and one with a transactional handler that writes a row. */
export const MAILING = { subscription: 'mailing', queue: plainJob.queue, retry } satisfies EventHandlerOptions;
export const BOOKS = { subscription: 'books', queue: effectJob.queue, retry } satisfies EventHandlerOptions;
export const SUBSCRIPTIONS: readonly string[] = [MAILING.subscription, BOOKS.subscription];

/** Whether the handler of such jobs is transactional and writes a row. */
export function isTransactional(kind: string): boolean {
  return kind === effectJob.name || kind === `${publishedEvent.name}@${BOOKS.subscription}`;
}

/** Returns the token of a subscription's job. Its payload has the token of the event. */
export function deliveryToken(token: string, subscription: string): string {
  return `${token}@${subscription}`;
}

/** Returns the token of a job by its name, which for a job of a subscription is `<event>@<subscription>`. */
export function tokenOf(name: string, token: string): string {
  const subscription = SUBSCRIPTIONS.find((each) => name === `${publishedEvent.name}@${each}`);
  return subscription === undefined ? token : deliveryToken(token, subscription);
}
