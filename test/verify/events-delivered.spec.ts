import { expect, test } from '@jest/globals';

import { MadeUpEvidence, broken, handlerCall } from './made-up-evidence.js';

const TRANSACTION = 'producer-1!1';
const LOSS = { fault: 'lose-commits', allows: ['loss', 'rerun'], from: 5, to: 10 } as const;

/** An event that was published without a transaction, and whose subscriptions have these jobs. */
function published({ jobs = ['mailing', 'books'], transaction = undefined as string | undefined } = {}) {
  const kind = 'published';
  const method = transaction === undefined ? 'single' : 'transaction';
  const evidence = new MadeUpEvidence().enqueue('e', { kind, method, transaction });
  for (const subscription of jobs) {
    deliver(evidence, subscription);
  }
  return evidence;
}

function deliver(evidence: MadeUpEvidence, subscription: string, from = 70): void {
  evidence.job(`e@${subscription}`, { kind: `published@${subscription}`, calls: [handlerCall(from, from + 10)] });
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

test.each<[what: string, evidence: MadeUpEvidence]>([
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
  ['a subscription has no job for a committed event', committed({ jobs: ['mailing'] })],
  ['a subscription has two jobs', committed().duplicate('another', 'e@mailing')],
  ['a subscription has a job for a rolled-back event', rolledBack({ jobs: ['mailing'] })],
  ['an event without an answer has one job of two', withoutAnswer(stored(published({ jobs: ['mailing'] })))],
  ['an event that was not stored has a job', withoutAnswer(published({ jobs: ['mailing'] }))],
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
