import { type JobDefinition, defineJob, fixed } from '@tablequeue/typeorm';

/** What every job of the bench carries. */
export interface Payload {
  /** Tells it from all others, also before it has an id. */
  readonly token: string;
  /** How long its handler takes, in ms. */
  readonly work: number;
  /** How many attempts fail before one succeeds. */
  readonly fails: number;
  /** The key that no other unfinished job may have. */
  readonly key?: string;
}

/** No number of crashes makes a job fail here: that is not what is tried. */
const retry = { attempts: 30, crashes: 1_000, backoff: fixed('50ms') } as const;

/** How many jobs of the limited queue run at a time. */
export const LIMIT = 3;
/** The queue with that limit. */
export const LIMITED_QUEUE = 'limited';

export const plainJob = defineJob<Payload>('plain', { queue: 'plain', retry });
/** Takes about as long as a lease: it still runs when a worker that was stopped goes on with the attempt before. */
export const longJob = defineJob<Payload>('long', { queue: 'long', retry });
/** Leaves nothing behind. */
export const fleetingJob = defineJob<Payload>('fleeting', { queue: 'plain', retry, keep: 'none' });
/** Fails in every attempt, and so for good. */
export const doomedJob = defineJob<Payload>('doomed', {
  queue: 'plain',
  retry: { attempts: 3, crashes: 1_000, backoff: fixed('50ms') },
});
/** Has a transactional handler that writes a row and enqueues a `followJob`. */
export const effectJob = defineJob<Payload>('effect', { queue: 'effects', retry });
/** Enqueued by transactional handlers. */
export const followJob = defineJob<Payload>('follow', { queue: 'effects', retry });
/** Waits for a group of jobs. */
export const callbackJob = defineJob<Payload>('callback', { queue: 'callbacks', retry });
export const limitedJob = defineJob<Payload>('limited', { queue: LIMITED_QUEUE, retry });
export const uniqueJob = defineJob<Payload>('unique', { queue: 'unique', retry });

/** The jobs of one producer that run one at a time, in the order in which they were enqueued. */
export function orderedJob(producer: string): JobDefinition<Payload> {
  return defineJob<Payload>(`ordered-${producer}`, { queue: orderedQueue(producer), retry });
}

/** The queue of those. It is limited to one job at a time. */
export function orderedQueue(producer: string): string {
  return `ordered-${producer}`;
}

/** The jobs of one producer that it runs itself. */
export function ownJob(producer: string): JobDefinition<Payload> {
  return defineJob<Payload>(`own-${producer}`, { queue: `own-${producer}`, retry });
}

/** Whether a kind of job is one that `orderedJob` has made. */
export function isOrdered(kind: string): boolean {
  return kind.startsWith('ordered-');
}

/** Whether a kind of job is one that `ownJob` has made. */
export function isOwn(kind: string): boolean {
  return kind.startsWith('own-');
}
