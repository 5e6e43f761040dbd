import { expect, test } from '@jest/globals';

import { MadeUpEvidence, broken, handlerCall } from './made-up-evidence.js';

const TRANSACTION = 'producer-1!1';
/** All subscriptions. */
const ALL = ['mailing', 'books', 'archive', 'history'];
const LOSS = { fault: 'lose-commits', allows: ['loss', 'rerun'], from: 5, to: 10 } as const;

/** An event that was published without a transaction, and whose subscriptions have these jobs. */
function published({ jobs = ALL, transaction = undefined as string | undefined } = {}) {
  const kind = 'published';
  const method = transaction === undefined ? 'single' : 'transaction';
  const evidence = new MadeUpEvidence().enqueue('e', { kind, method, transaction });
  for (const subscription of jobs) {
    deliver(evidence, subscription);
  }
  return evidence;
}

function deliver(evidence: MadeUpEvidence, subscription: string, from = 70): void {
  evidence.job(`e@${subscription}${subscription === 'archive' ? '~1' : ''}`, {
    kind: `published@${subscription}`,
    calls: [handlerCall(from, from + 10)],
  });
  if (subscription === 'books') {
    evidence.effects.set('e@books', [1]);
  }
}

/** Adds the job of the event, which its worker has ended. */
const stored = (evidence: MadeUpEvidence) => evidence.job('e', { kind: 'published', calls: [] });

/** The same in a transaction, with the row that shows its commit. */
function committed(options: { readonly jobs?: string[] } = {}) {
  const evidence = stored(published({ ...options, transaction: TRANSACTION }));
  evidence.transactions.set(TRANSACTION, { from: 0, committingAt: 50, committedAt: 60 });
  evidence.orders.add('e');
  return evidence;
}

function rolledBack(options: { readonly jobs: string[] }) {
  const evidence = published({ ...options, transaction: TRANSACTION });
  evidence.transactions.set(TRANSACTION, { from: 0 });
  return evidence;
}

/** The process of the publish has died before the answer. */
const withoutAnswer = (evidence: MadeUpEvidence) => {
  return evidence.enqueue('e', { kind: 'published', id: undefined as unknown as string, to: undefined });
};

function deliveredEarly() {
  const evidence = committed();
  deliver(evidence, 'mailing', 20);
  return evidence;
}

function failedOnce() {
  const evidence = committed();
  const final = {
    state: 'failed',
    attempt: 1,
    failures: 1,
    createdAt: 0,
    runAt: 0,
    claimedAt: 0,
    finishedAt: 0,
  } as const;
  return evidence.job('e@mailing', { kind: 'published@mailing', final });
}

/** The row of a job of the queue of events. Times by the database's clock. */
const finished = (createdAt: number, finishedAt: number) => {
  return { state: 'succeeded', attempt: 1, failures: 0, createdAt, runAt: 0, claimedAt: 0, finishedAt } as const;
};

/** An event that ended at 50 and has `jobs` jobs of a subscription with a replay of these times. */
function replayed({ from = 40, created = 60, ended = 70, jobs = 2 }): MadeUpEvidence {
  const replay = { kind: '@replay', calls: [] };
  const evidence = published()
    .job('e', { kind: 'published', calls: [], final: finished(0, 50) })
    .enqueue('replay', { kind: '@replay', replayedFrom: from })
    .job('replay', { ...replay, final: finished(created, ended) });
  for (let job = 2; job <= jobs; job++) {
    evidence.job(`e@archive~${job}`, { kind: 'published@archive', calls: [handlerCall(70, 80)] });
  }
  return evidence;
}

function withHistory(subscribedAt: number | undefined, jobs: number): MadeUpEvidence {
  const evidence = stored(published({ jobs: ALL.slice(0, 3 + jobs) }));
  evidence.subscribedAt = subscribedAt;
  return evidence;
}

test.each<[what: string, evidence: MadeUpEvidence]>([
  ['an event is replayed', replayed({})],
  ['an event ended before the replayed time', replayed({ from: 51, jobs: 1 })],
  ['an event ended during a replay, and was read', replayed({ created: 45 })],
  ['an event ended during a replay, and was not read', replayed({ created: 45, jobs: 1 })],
  ['an event ended after a replay', replayed({ created: 45, ended: 49, jobs: 1 })],
  [
    'a clock was wrong',
    replayed({ jobs: 1 }).fault({ fault: 'clock-ahead', allows: ['clock', 'rerun'], from: 0, to: 1 }),
  ],
  ['the server has lost a registration', withHistory(6, 0).fault(LOSS)],
  ['each subscription has one job', stored(published())],
  ['each subscription has one job for a committed event', committed()],
  ['a rolled-back event has no jobs', rolledBack({ jobs: [] })],
  ['an event without an answer was stored', withoutAnswer(stored(published()))],
  ['an event without an answer was not stored', withoutAnswer(published({ jobs: [] }))],
  [
    'the server has lost an event',
    published({ jobs: [] }).enqueue('e', { kind: 'published', from: 6, to: 7 }).fault(LOSS),
  ],
])('no guarantee is broken if %s', (_what, evidence) => {
  expect(broken(evidence)).toEqual([]);
});

test.each<[what: string, evidence: MadeUpEvidence]>([
  ['a subscription has no job', stored(published({ jobs: ['books'] }))],
  ['a subscription has no job for a committed event', committed({ jobs: ALL.slice(0, 3) })],
  ['a subscription has two jobs', committed().duplicate('another', 'e@mailing')],
  ['a subscription has a job for a rolled-back event', rolledBack({ jobs: ['mailing'] })],
  ['an event without an answer has one job of two', withoutAnswer(stored(published({ jobs: ['mailing'] })))],
  ['an event that was not stored has a job', withoutAnswer(published({ jobs: ['mailing'] }))],
  ['a replay has left an event out', replayed({ jobs: 1 })],
  ['a replay has stored two jobs for an event', replayed({ jobs: 3 })],
  ['a replay has read an event before its time', replayed({ from: 51 })],
  ['a replay has read an event after its end', replayed({ created: 45, ended: 49 })],
  ['a subscription has not got an earlier event', withHistory(6, 0)],
  ['a subscription was not registered', withHistory(undefined, 0)],
  ['a job runs before the commit', deliveredEarly()],
  ['a job fails', failedOnce()],
])('events-delivered detects that %s', (_what, evidence) => {
  expect(broken(evidence)).toContain('events-delivered');
});

test('the effect of a transactional subscription must exist once', () => {
  const evidence = committed();
  evidence.effects.set('e@books', [1, 2]);
  expect(broken(evidence)).toEqual(['effects-once']);
});
