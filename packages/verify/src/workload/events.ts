import { type EventHandlerOptions, defineEvent } from '@tablequeue/typeorm';
import { REPLAY_JOB, type Replay } from '@tablequeue/typeorm/internal';

import { type Payload, effectJob, plainJob, retry } from './definitions.js';

/** The event of a run. Each of its subscriptions gets a job for each event. */
export const publishedEvent = defineEvent<Payload>('published');

/** A plain subscription. */
export const MAILING = { subscription: 'mailing', queue: plainJob.queue, retry } satisfies EventHandlerOptions;
/** Has a transactional handler that writes a row. */
export const BOOKS = { subscription: 'books', queue: effectJob.queue, retry } satisfies EventHandlerOptions;
/** Gets events again: producers replay them. */
export const ARCHIVE = { subscription: 'archive', queue: plainJob.queue, retry } satisfies EventHandlerOptions;
/** Is registered during the load, and gets the events that were published before too. */
export const HISTORY = {
  subscription: 'history',
  queue: 'history',
  retry,
  since: new Date(0),
} satisfies EventHandlerOptions;

export const SUBSCRIPTIONS: readonly string[] = [MAILING, BOOKS, ARCHIVE, HISTORY].map(
  ({ subscription }) => subscription,
);

/** Whether the handler of such jobs is transactional and writes a row. */
export function isTransactional(kind: string): boolean {
  return kind === effectJob.name || kind === `${publishedEvent.name}@${BOOKS.subscription}`;
}

/** Returns whether workers run such jobs themselves, without a handler: events and replays. */
export function hasNoHandler(kind: string): boolean {
  return kind === publishedEvent.name || kind === REPLAY_JOB;
}

/** Returns the token of a subscription's job. Its payload has the token of the event. */
export function deliveryToken(token: string, subscription: string, id: string): string {
  const delivery = `${token}@${subscription}`;
  // Replays store several jobs for an event.
  return subscription === ARCHIVE.subscription ? `${delivery}~${id}` : delivery;
}

/** Returns the token of the event and the subscription of a job, without what replays add. */
export function deliveryOf(token: string): string {
  return token.split('~', 1)[0] as string;
}

/** Returns the token of a replay. `from` is unique in the run. */
export function replayToken(from: number, leftOut: number | null = null): string {
  return leftOut === null ? `replay from ${from}` : `replay for subscription ${leftOut}`;
}

/** Returns the token of a job by its name, which for a job of a subscription is `<event>@<subscription>`. */
export function tokenOf(name: string, id: string, content: Payload | Replay): string {
  if (name === REPLAY_JOB) {
    const { from, leftOut } = content as Replay;
    return replayToken((from as { readonly at: number }).at, leftOut);
  }
  const { token } = content as Payload;
  const subscription = SUBSCRIPTIONS.find((each) => name === `${publishedEvent.name}@${each}`);
  return subscription === undefined ? token : deliveryToken(token, subscription, id);
}
