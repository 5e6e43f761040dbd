import { isLive } from '@tablequeue/typeorm/internal';

import type {
  BlockedKey,
  DoctorReport,
  JobState,
  ManualAction,
  ScheduleRow,
  SubscriptionRow,
} from '../src/contract.js';

export const JOBS: readonly (readonly [name: string, queue: string])[] = [
  ['order.confirm', 'mail'],
  ['order.shipped', 'mail'],
  ['newsletter.send', 'mail'],
  ['payment.notify', 'payments'],
  ['payment.capture', 'payments'],
  ['invoice.render', 'documents'],
  ['invoice.archive', 'documents'],
  ['search.index', 'search'],
  ['report.monthly', 'reports'],
];

export const ERRORS: readonly string[] = [
  'Error: connect ETIMEDOUT 203.0.113.8:443',
  'PaymentRefusedError: The receiver answered 502 Bad Gateway after 10 s',
  "TypeError: Cannot read properties of undefined (reading 'email')",
  'SmtpError: 451 4.7.1 Greylisting in action, please come back later',
];

export const STACK = `PaymentRefusedError: The receiver answered 502 Bad Gateway after 10 s
    at PaymentClient.send (/app/dist/payments/payment-client.js:48:13)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async PaymentNotifier.notify (/app/dist/payments/payment-notifier.js:22:5)
    at async JobExecutor.run (/app/node_modules/@tablequeue/typeorm/dist/worker/job-executor.js:71:7)`;

export const payloadOf = (key: string | null): object => ({
  order: Number(key?.split(':')[1] ?? 4711),
  to: 'mary@example.com',
  lines: [
    { item: 'a lamp', cents: 4200, count: 1 },
    { item: 'a bulb, warm white', cents: 590, count: 4 },
  ],
  gift: false,
  note: null,
});

export function schedulesOf(now: number): ScheduleRow[] {
  const hour = 3_600_000;
  const schedule = (
    name: string,
    queue: string,
    pattern: string,
    every: number,
    pausedAt: number | null = null,
  ): ScheduleRow => ({
    name,
    job: name,
    queue,
    pattern,
    timeZone: pattern.startsWith('every') ? null : 'Europe/Berlin',
    nextAt: now + every / 3,
    upcoming: [1, 2, 3, 4].map((tick) => now + every / 3 + (tick - 1) * every),
    lastAt: now - (every * 2) / 3,
    lastJob: { id: '0193f5a1-7c01-7b31-9d42-000000000001', name, state: 'succeeded' },
    pausedAt,
  });
  return [
    schedule('carts.expire', 'search', 'every 15m', hour / 4),
    schedule('newsletter.send', 'mail', '0 9 * * MON', 7 * 24 * hour),
    schedule('report.monthly', 'reports', '0 6 1 * *', 30 * 24 * hour, now - 47 * 60_000),
    schedule('search.rebuild', 'search', '30 3 * * *', 24 * hour),
  ];
}

export function blockedKeysOf(now: number): BlockedKey[] {
  const blocked = (key: string, index: number, age: number, behind: number): BlockedKey => ({
    name: 'payment.capture',
    key,
    jobId: `0193f5a1-7c01-7b31-9d42-00000000000${index}`,
    blockedAt: now - age,
    behind,
  });
  return [blocked('account 4711', 2, 12 * 60_000, 31), blocked('account 815', 3, 4 * 60_000, 1_000)];
}

export function subscriptionsOf(now: number): SubscriptionRow[] {
  const subscription = (event: string, name: string, queue: string, count: number, age: number): SubscriptionRow => ({
    event,
    name,
    queue,
    job: `${event}@${name}`,
    priority: 0,
    registeredAt: now - 9 * 86_400_000,
    unhandledSince: name === 'loyalty' ? now - 3 * 3_600_000 : null,
    unfinished: { count, isCapped: false },
    oldestAt: count === 0 ? null : now - age,
  });
  return [
    subscription('order.paid', 'mailing', 'mail', 3, 900),
    subscription('order.paid', 'books', 'payments', 0, 0),
    subscription('order.paid', 'loyalty', 'search', 812, 3 * 3_600_000),
    subscription('order.sent', 'mailing', 'mail', 1, 400),
  ];
}

export const DOCTOR: Omit<DoctorReport, 'takenAt'> = {
  server: 'MariaDB 10.11.14',
  findings: [
    { check: 'tables', level: 'good', text: 'All tables exist, in version 1.', advice: null },
    { check: 'claiming', level: 'good', text: 'Workers claim with SKIP LOCKED.', advice: null },
    {
      check: 'open transactions',
      level: 'warning',
      text: 'A transaction has been open for 14 minutes (connection 8123, user report).',
      advice:
        'The index entries that jobs have left are not purged until it ends: claims read them, and slow down.\n' +
        'End it, or let reports read from a replica.',
    },
    { check: 'table-sizes', level: 'good', text: '812.4 MiB in total; tq_job about 1204311 rows', advice: null },
    {
      check: 'connections',
      level: 'notice',
      text: 'The account may not read performance_schema, so waits could not be examined.',
      advice: 'GRANT SELECT ON performance_schema.* TO shop;',
    },
  ],
};

/** What may be done to a job of a state. */
export function manualOf(state: JobState): ManualAction[] {
  const mayEdit = !isLive(state) && state !== 'succeeded';
  return [
    ...(mayEdit ? (['edit'] as const) : []),
    'copy',
    'edit-copy',
    ...(state === 'scheduled' || state === 'ready' ? (['reschedule'] as const) : []),
    ...(isLive(state) ? [] : (['delete'] as const)),
  ];
}
