import { expect, test } from '@jest/globals';

import { MadeUpEvidence, broken, handlerCall } from './made-up-evidence.js';

/** A token of the queue comes back in 10 ms, one of a tenant in 20 ms. */
const BURST = { queue: 5, tenant: 2 } as const;

/** Jobs that were claimed at these times, in ms by the database's clock. Their handlers start at the same times. */
function claimed(times: readonly number[], tenant?: string, evidence = new MadeUpEvidence()) {
  const kind = tenant === undefined ? 'rated' : 'tenant-rated';
  for (const [index, claimedAt] of times.entries()) {
    const final = {
      state: 'succeeded',
      attempt: 1,
      failures: 0,
      createdAt: 0,
      runAt: 0,
      finishedAt: claimedAt,
    } as const;
    const id = `${tenant ?? 'job'}-${index}`;
    evidence.enqueue(id, { kind, tenant });
    evidence.job(id, { kind, calls: [handlerCall(claimedAt, claimedAt + 1)], final: { ...final, claimedAt } });
  }
  return evidence;
}

const at = (time: number, count: number) => Array.from({ length: count }, () => time);
const every = (interval: number, from: number, count: number) => {
  return Array.from({ length: count }, (_each, index) => from + interval * index);
};

test.each<[what: string, evidence: MadeUpEvidence]>([
  ['a burst, and then each token', claimed([...at(100, BURST.queue), ...every(10, 110, 20)])],
  ['a burst after each pause', claimed([...at(100, BURST.queue), ...at(150, BURST.queue)])],
  ['tokens that are rounded by a millisecond', claimed([...at(100, BURST.queue), ...every(10, 109, 20)])],
  ['a burst of each tenant', claimed(at(100, BURST.tenant), 'a', claimed(at(100, BURST.tenant), 'b'))],
  ['another burst while the clock is ahead', claimed([...at(100, BURST.queue), ...at(3_600_100, BURST.queue)])],
])('rates-kept allows %s', (_what, evidence) => {
  expect(broken(evidence)).toEqual([]);
});

test.each<[what: string, evidence: MadeUpEvidence]>([
  ['one more than the burst', claimed(at(100, BURST.queue + 1))],
  ['one more than the burst of a tenant', claimed(at(100, BURST.tenant + 1), 'a')],
  ['a burst too early after another one', claimed([...at(100, BURST.queue), ...at(140, BURST.queue)])],
  ['a rate that is a little too high', claimed(every(9, 100, 60))],
  ['a rate of a tenant that is a little too high', claimed(every(18, 100, 60), 'a')],
])('rates-kept detects %s', (_what, evidence) => {
  expect(broken(evidence)).toEqual(['rates-kept']);
});

test('only a fault that takes the limits away explains starts above a rate, at about the same time', () => {
  const above = () => claimed(at(10_000, BURST.queue + 1));
  const gone = (from: number, to: number) => ({ fault: 'truncate-tables', allows: ['limits'], from, to }) as const;
  expect(broken(above().fault(gone(9_000, 9_500)))).toEqual([]);
  expect(broken(above().fault(gone(1_000, 2_000)))).toEqual(['rates-kept']);
  expect(
    broken(above().fault({ ...gone(9_000, 9_500), allows: ['rerun', 'delay', 'order', 'loss', 'clock'] })),
  ).toEqual(['rates-kept']);
});
