import type { BulkJob, TableQueueJob } from '@tablequeue/typeorm';

const PAST = new Date('2026-01-01T00:00:00.123Z');
const FUTURE = new Date('2199-12-31T23:59:59.999Z');

/** Jobs whose rows differ. */
export const PLAIN_KINDS: readonly BulkJob<string>[] = [
  { payload: 'plain' },
  { payload: `'"\\\0\u2028?%\u{1F680}\uD800` },
  { payload: 'soon', delay: '2h' },
  { payload: 'at', runAt: FUTURE },
  { payload: 'late', runAt: PAST },
  { payload: 'keyed', key: `it's \\ "quoted" ?` },
];

const WITH_TENANT: readonly BulkJob<string>[] = [
  { payload: 'tenant', tenant: 'a tenant' },
  { payload: 'later', tenant: 'another', delay: '1h' },
  { payload: 'tenant, at', tenant: 'another', runAt: FUTURE },
  { payload: 'tenant, late', tenant: 'a tenant', runAt: PAST },
];

const WITH_PRIORITY: readonly BulkJob<string>[] = [
  { payload: 'first', priority: -500, runAt: PAST },
  { payload: 'last', priority: 500 },
  { payload: 'last, at', priority: 500, runAt: FUTURE },
  { payload: 'last, later', priority: 500, delay: '1h' },
];

export const KINDS_WITH_TENANTS = [...PLAIN_KINDS, ...WITH_TENANT];
export const KINDS_WITH_PRIORITIES = [...PLAIN_KINDS, ...WITH_PRIORITY];
export const ALL_KINDS = [
  ...KINDS_WITH_TENANTS,
  ...WITH_PRIORITY,
  { payload: 'all', tenant: 'a tenant', runAt: PAST, priority: 7, key: 'key' },
];

/**
 * A job as it is stored, but for its id, its group's and the moment: times are counted from its creation, but for those
 * given.
 */
export function withoutMoment(job: TableQueueJob) {
  const { id: _, groupId, createdAt, runAt, position, ...rest } = job;
  const isGiven = [PAST, FUTURE].some((time) => time.getTime() === runAt);
  const since = isGiven ? 0 : createdAt;
  return { ...rest, isMember: groupId !== null, runAt: runAt - since, position: position - since };
}
