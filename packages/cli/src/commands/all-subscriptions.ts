import type { EventSubscription, TableQueue } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

/** Reads all pages of subscriptions, by event. */
export async function readSubscriptions({ subscriptions }: TableQueue): Promise<EventSubscription[]> {
  const all: EventSubscription[] = [];
  let after: string | undefined;
  do {
    const page = await subscriptions.list({ limit: 1_000, ...defined({ after }) });
    all.push(...page.subscriptions);
    after = page.next;
  } while (after !== undefined);
  return all;
}

/** The number of its unfinished jobs. With a `+` it is a minimum. */
export function unfinishedOf({ unfinished, isCapped }: EventSubscription): string {
  return isCapped ? `${unfinished}+` : String(unfinished);
}
