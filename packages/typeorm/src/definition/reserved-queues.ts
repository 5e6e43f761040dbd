import { InvalidOptionError } from '../errors/index.js';
import { EVENTS_QUEUE } from './event-queue.js';

/** The queue of messages to webhooks. Workers with alerts work on it. */
export const ALERTS_QUEUE = 'tablequeue.alerts';

/**
 * The queues of built-in jobs, with their purpose. Other jobs would not run there, and built-in jobs would not run
 * elsewhere. The procedure `tq_enqueue` refuses the same ones.
 */
export const RESERVED_QUEUES: ReadonlyMap<string, string> = new Map([
  [EVENTS_QUEUE, 'published events'],
  [ALERTS_QUEUE, 'alerts'],
]);

/** @throws InvalidOptionError for a queue that is reserved. */
export function assertUnreservedQueue(option: string, queue: unknown): void {
  const purpose = RESERVED_QUEUES.get(queue as string);
  if (purpose !== undefined) {
    throw new InvalidOptionError(option, queue, `another queue: this one is reserved for ${purpose}`);
  }
}
