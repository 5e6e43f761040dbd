import { expect, test } from '@jest/globals';
import type { ThroughputPoint } from '@tablequeue/typeorm';
import type { BlockedKeys, DatabaseStats, QueueStats, UnhandledSubscriptions } from '@tablequeue/typeorm/internal';

import type { Attention } from '../contract/index.js';
import { findAttention } from './attention.js';
import { queueRows } from './queue-rows.js';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const NONE = { count: 0, isCapped: false };
const SOME = { count: 3, isCapped: false };

type Worker = DatabaseStats['workers'][number];
type Schedule = DatabaseStats['schedules'][number];

interface Facts {
  readonly mail?: Partial<QueueStats>;
  readonly ready?: boolean;
  readonly ended?: Partial<Pick<ThroughputPoint, 'succeeded' | 'failed' | 'retried'>>;
  readonly workers?: readonly Partial<Worker>[];
  readonly schedules?: readonly Partial<Schedule>[];
  readonly blocked?: BlockedKeys;
  readonly unhandled?: UnhandledSubscriptions;
}

const NO_ROWS = { count: 0, first: [] };
const AT_WORK = { host: 'a', pid: 1, queues: ['mail'], weights: {}, leaseLeft: 20_000 };

/** Returns what needs attention in a database with the queue `mail` and, by default, one worker. */
function attention({
  mail,
  ready,
  ended,
  workers = [AT_WORK],
  schedules = [],
  blocked = NO_ROWS,
  unhandled = NO_ROWS,
}: Facts): readonly Attention[] {
  const counts = { waiting: NONE, scheduled: NONE, ready: ready ? SOME : NONE, running: NONE };
  const idle = { queue: 'mail', counts, oldestReadyAge: undefined, failed: 0, pausedAt: undefined };
  const stats = { takenAt: NOW, queues: [{ ...idle, ...mail }], workers, schedules } as unknown as DatabaseStats;
  const point = { at: new Date(NOW), succeeded: 0, failed: 0, retried: 0, latencyMean: undefined, ...ended };
  const points = [point as ThroughputPoint];
  const queues = ended ? [{ queue: 'mail', points }] : [];
  const throughput = { takenAt: new Date(NOW), width: MINUTE, points, queues };
  const facts = { stats, settings: [], throughput, blocked, unhandled };
  return findAttention(facts, queueRows(facts));
}

test('without problems the list is empty', () => {
  expect(attention({ ready: true, mail: { oldestReadyAge: 4 * MINUTE }, ended: { succeeded: 500 } })).toEqual([]);
});

test('no-workers: a queue with ready jobs has no worker', () => {
  const found = { severity: 'critical', kind: 'no-workers', queue: 'mail', since: NOW - 5_000 };
  const mail = { oldestReadyAge: 5_000 };
  expect(attention({ ready: true, mail, workers: [] })).toMatchObject([found]);
  expect(attention({ ready: true, mail, workers: [{ ...AT_WORK, queues: ['other'] }] })).toMatchObject([found]);
  expect(attention({ ready: true, mail, workers: [{ ...AT_WORK, leaseLeft: 0 }] })).toMatchObject([found]);
  expect(attention({ workers: [] })).toEqual([]);
});

test('late: the oldest ready job has been due for five minutes', () => {
  expect(attention({ ready: true, mail: { oldestReadyAge: 5 * MINUTE } })).toEqual([
    {
      severity: 'warning',
      kind: 'late',
      queue: 'mail',
      text: 'The oldest job of mail has been due for 5 minutes',
      since: NOW - 5 * MINUTE,
    },
  ]);
});

test('paused: the text mentions waiting jobs', () => {
  const mail = { pausedAt: NOW - 1 };
  const found = { severity: 'notice', kind: 'paused', queue: 'mail', since: NOW - 1 };
  expect(attention({ mail })).toEqual([{ ...found, text: 'mail is paused' }]);
  const late = { ...mail, oldestReadyAge: 9 * MINUTE };
  expect(attention({ ready: true, mail: late, workers: [] })).toEqual([
    { ...found, text: 'mail is paused, and jobs wait in it' },
  ]);
});

test('blocked-keys: a failed job blocks its order key', () => {
  const key = { name: 'change', key: 'account 1', jobId: Buffer.alloc(16), blockedAt: NOW - MINUTE, behind: 3 };
  const found = { severity: 'warning', kind: 'blocked-keys', queue: null, since: NOW - MINUTE };
  const blocked = (count: number) => ({ count, first: [key] });
  expect(attention({ blocked: blocked(1) })).toEqual([
    { ...found, text: 'The order key account 1 of change is blocked by a failed job' },
  ]);
  expect(attention({ blocked: blocked(7) })).toEqual([
    { ...found, text: '7 order keys are blocked by failed jobs: account 1 of change, …' },
  ]);
});

test('failing: a quarter of at least ten attempts failed, retried ones included', () => {
  const found = { severity: 'warning', kind: 'failing', queue: 'mail', since: null };
  const of = (share: string) => [{ ...found, text: `${share} of the attempts of mail have failed within the hour` }];
  expect(attention({ ended: { retried: 500 } })).toEqual(of('100%'));
  expect(attention({ ended: { succeeded: 9, retried: 2, failed: 1 } })).toEqual(of('25%'));
  expect(attention({ ended: { succeeded: 10, retried: 2, failed: 1 } })).toEqual([]);
  expect(attention({ ended: { failed: 10 } })).toEqual(of('100%'));
  expect(attention({ ended: { retried: 9 } })).toEqual([]);
  const late = attention({ ready: true, mail: { oldestReadyAge: 5 * MINUTE }, ended: { retried: 500 } });
  expect(late.map(({ kind }) => kind)).toEqual(['late', 'failing']);
});

test('workers-missing: a lease ended a minute ago, and no reaper returned the jobs', () => {
  const missing = { host: 'b', pid: 7, queues: ['mail'], weights: {}, leaseLeft: -MINUTE };
  const found = { severity: 'warning', kind: 'workers-missing', queue: null, since: NOW - MINUTE };
  expect(attention({ workers: [AT_WORK, missing] })).toEqual([
    { ...found, text: 'The worker 7 on b is missing, and no reaper has returned its jobs' },
  ]);
  const longer = { ...missing, leaseLeft: -2 * MINUTE };
  expect(attention({ workers: [AT_WORK, missing, longer] })).toEqual([
    { ...found, text: '2 workers are missing, and no reaper has returned their jobs', since: NOW - 2 * MINUTE },
  ]);
  expect(attention({ workers: [AT_WORK, { ...missing, leaseLeft: 1 - MINUTE }] })).toEqual([]);
});

test('schedule-missed: a tick that has been due for two minutes', () => {
  const nightly = { name: 'nightly', queue: 'mail', nextFireAt: NOW - 2 * MINUTE };
  expect(attention({ schedules: [nightly] })).toEqual([
    {
      severity: 'critical',
      kind: 'schedule-missed',
      queue: 'mail',
      text: 'The schedule nightly has not fired when it was due: no worker runs the scheduler',
      since: NOW - 2 * MINUTE,
    },
  ]);
  expect(attention({ schedules: [{ ...nightly, nextFireAt: NOW - 2 * MINUTE + 1 }] })).toEqual([]);
  expect(attention({ schedules: [{ ...nightly, nextFireAt: null }] })).toEqual([]);
});

test('the list is sorted by severity', () => {
  const kinds = attention({
    mail: { pausedAt: 1 },
    workers: [{ ...AT_WORK, leaseLeft: -MINUTE }],
    schedules: [{ name: 'nightly', queue: 'mail', nextFireAt: 0 }],
  }).map(({ kind }) => kind);
  expect(kinds).toEqual(['schedule-missed', 'workers-missing', 'paused']);
});

test('unhandled-subscriptions: no worker has their handlers', () => {
  const subscription = { event: 'order.paid', name: 'mailing', since: NOW - MINUTE };
  const found = { severity: 'warning', kind: 'unhandled-subscriptions', queue: null, since: NOW - MINUTE };
  const unhandled = (count: number) => ({ count, first: [subscription] });
  expect(attention({ unhandled: unhandled(1) })).toEqual([
    { ...found, text: 'No worker has the handler of mailing, a subscription of order.paid' },
  ]);
  expect(attention({ unhandled: unhandled(4) })).toEqual([
    { ...found, text: 'No worker has the handlers of 4 subscriptions: mailing of order.paid, …' },
  ]);
});
