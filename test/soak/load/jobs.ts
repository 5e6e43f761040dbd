import { defineEvent, defineJob, fixed } from '@tablequeue/typeorm';

/** Few enough that jobs of one wait for each other. */
const ORDER_KEYS = 20;
/** One of so many ordered jobs fails for good. */
export const DOOMED_ORDERED = 7;
/** What a durable job waits for. */
export const SIGNAL = 'approved';

/** Does nothing; the latency is measured with it. */
export const plainJob = defineJob<number>('plain', { queue: 'plain' });
/** Leaves nothing behind. */
export const fleetingJob = defineJob<number>('fleeting', { queue: 'plain', keep: 'none' });
/** Fails as often as its payload demands, reports progress, and has a result. */
export const flakyJob = defineJob<number>('flaky', { queue: 'flaky', retry: { attempts: 5, backoff: fixed('500ms') } });
/** Fails for good. */
export const doomedJob = defineJob<number>('doomed', {
  queue: 'flaky',
  retry: { attempts: 2, backoff: fixed('500ms') },
});
/** Takes a moment, in which no other with its key is stored. */
export const uniqueJob = defineJob<number>('unique', { queue: 'unique' });
/** Members of groups and what waits for them. */
export const memberJob = defineJob<number>('member', { queue: 'groups' });
export const callbackJob = defineJob<number>('callback', { queue: 'groups' });
/** Has a transactional handler, which writes to `EFFECTS` and enqueues a `followJob`. */
export const effectJob = defineJob<number>('effect', { queue: 'effects' });
export const followJob = defineJob<number>('follow', { queue: 'effects' });
/** Of a queue with limits. */
export const limitedJob = defineJob<number>('limited', { queue: 'limited' });
/** Is done many at a time. */
export const batchJob = defineJob<number>('batch', { queue: 'batches' });
/** Is for one of some tenants, who take turns. */
export const tenantJob = defineJob<number>('tenant', { queue: 'tenants' });
/** One after another for each key; some fail for good, and their keys go on. */
export const orderedJob = defineJob<number>('ordered', {
  queue: 'ordered',
  retry: { attempts: 2, backoff: fixed('500ms') },
  order: { by: (number) => `account-${number % ORDER_KEYS}`, afterFailure: 'continue' },
});
/** Has steps, waits for a signal and sleeps, and awaits a `childJob`. */
export const durableJob = defineJob<number>('durable', { queue: 'durable' });
export const childJob = defineJob<number>('child', { queue: 'durable' });
/** Half of them expire before a worker has claimed them. */
export const expiringJob = defineJob<number>('expiring', { queue: 'expiring' });
/** Of a queue with a rate for each tenant. Its tenants come and go. */
export const ratedJob = defineJob<number>('rated', { queue: 'rated' });
/** Published, for two subscriptions. */
export const soakEvent = defineEvent<number>('noted');
/** The names of its subscriptions. The handler of the second one is transactional. */
export const SUBSCRIPTIONS = ['mailing', 'books'] as const;
/** Enqueued by schedules. */
export const tickJob = defineJob('tick', { queue: 'ticks' });

/** The messages of errors that handlers throw: they are not errors of the soak. */
export const MEANT = 'is meant to fail';

/** The application's own table: how often each of its rows was written. */
export const EFFECTS = { table: 'soak_effect', rows: 100 } as const;

/** Writes one row of it. */
export const WRITE_EFFECT = `UPDATE ${EFFECTS.table} SET runs = runs + 1 WHERE id = ?`;
