/** The queue of published events. Workers with a subscription fan them out. */
export const EVENTS_QUEUE = 'tablequeue.events';

/** The name of the jobs of this queue that replay events. No event has such a name. */
export const REPLAY_JOB = '@replay';

/** The name of the jobs of a subscription. No other definition has such a name, because it may not contain an @. */
export function subscriptionJobName(event: string, subscription: string): string {
  return `${event}@${subscription}`;
}

/** A time, or how long before the database's present time. In ms. */
export type Since = { readonly at: number } | { readonly ago: number };

/** What is stored of a subscription. */
export interface Subscription {
  readonly event: string;
  readonly name: string;
  readonly priority: number;
  readonly since: Since | undefined;
}
