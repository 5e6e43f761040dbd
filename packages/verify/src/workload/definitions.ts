import { type JobDefinition, defineJob, fixed } from '@tablequeue/typeorm';

/** The payload of every job of a run. */
export interface Payload {
  /** Unique in the run. It identifies the job before it has an id. */
  readonly token: string;
  /** How long its handler runs, in ms. */
  readonly work: number;
  /** The number of attempts that fail before one succeeds. */
  readonly fails: number;
  readonly key?: string;
  /** The key of an order. */
  readonly order?: string;
}

/** High limits, so that faults alone never fail a job. */
export const retry = { attempts: 30, crashes: 1_000, backoff: fixed('50ms') } as const;

/** The number of jobs of the limited queue that may run at a time. */
export const LIMIT = 3;
export const LIMITED_QUEUE = 'limited';

export const plainJob = defineJob<Payload>('plain', { queue: 'plain', retry });
/** Runs for about a lease, so that it still runs when a stopped worker continues its earlier attempt. */
export const longJob = defineJob<Payload>('long', { queue: 'long', retry });
/** It is not kept when it succeeds. */
export const unkeptJob = defineJob<Payload>('unkept', { queue: 'plain', retry, keep: 'none' });
/** Fails in each attempt. */
export const doomedJob = defineJob<Payload>('doomed', {
  queue: 'plain',
  retry: { attempts: 3, crashes: 1_000, backoff: fixed('50ms') },
});
/** Has a transactional handler that writes a row and enqueues a `followJob`. */
export const effectJob = defineJob<Payload>('effect', { queue: 'effects', retry });
/** Enqueued by transactional handlers. */
export const followJob = defineJob<Payload>('follow', { queue: 'effects', retry });
/** Has plain and transactional steps, a signal, a child, a sleep and a cursor. */
export const durableJob = defineJob<Payload>('durable', { queue: 'durable', retry });
/** The signal that a durable job waits for. */
export const AWAITED_SIGNAL = 'go';
/** The child of a durable job. */
export const childJob = defineJob<Payload>('child', { queue: 'durable', retry });
/** How many chunks the cursor of a durable job has. */
export const CHUNKS = 3;
export const callbackJob = defineJob<Payload>('callback', { queue: 'callbacks', retry });
export const limitedJob = defineJob<Payload>('limited', { queue: LIMITED_QUEUE, retry });
/** A rate limit. `per` in ms. */
export interface NumericRate {
  readonly jobs: number;
  readonly per: number;
  readonly burst: number;
}
export const RATE: NumericRate = { jobs: 100, per: 1_000, burst: 5 };
export const ratedJob = defineJob<Payload>('rated', { queue: 'rated', retry });
/** The rate of each tenant. */
export const TENANT_RATE: NumericRate = { jobs: 50, per: 1_000, burst: 2 };
export const TENANTS = 3;
export const tenantJob = defineJob<Payload>('tenant-rated', { queue: 'tenants', retry });
/** A recurring job. Its jobs have no enqueue of their own, so only their starts are recorded. */
export const tickJob = defineJob('tick', { queue: 'ticks', retry, keep: 'none' });
/** How often it recurs, in ms. */
export const TICK_INTERVAL = 1_000;
/** Runs in the order of its key. */
export const keyedJob = defineJob<Payload>('keyed', { queue: 'keyed', retry, order: { by: ({ order }) => order } });
/** Expires if it does not start in time. */
export const expiringJob = defineJob<Payload>('expiring', { queue: 'plain', retry });
export const uniqueJob = defineJob<Payload>('unique', { queue: 'unique', retry });

/** Defines the jobs of one producer that run one at a time, in the order of their enqueues. */
export function orderedJob(producer: string): JobDefinition<Payload> {
  return defineJob<Payload>(`ordered-${producer}`, { queue: orderedQueue(producer), retry });
}

/** Returns the name of the queue of those jobs. It is limited to one job at a time. */
export function orderedQueue(producer: string): string {
  return `ordered-${producer}`;
}

/** Defines the jobs that a producer runs itself. */
export function ownJob(producer: string): JobDefinition<Payload> {
  return defineJob<Payload>(`own-${producer}`, { queue: `own-${producer}`, retry });
}

/** Returns whether `orderedJob` defined a job. */
export function isOrdered(kind: string): boolean {
  return kind.startsWith('ordered-');
}

/** Returns whether `ownJob` defined a job. */
export function isOwn(kind: string): boolean {
  return kind.startsWith('own-');
}

/** Returns how long most jobs run at most, in ms. Those of the limited queue run longer, so that they overlap. */
export function longestWork(definition: JobDefinition<Payload>): number {
  return definition === limitedJob ? 60 : 20;
}
