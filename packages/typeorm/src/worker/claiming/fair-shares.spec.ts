import { expect, test } from '@jest/globals';

import { FairShares } from './fair-shares.js';

const weights: Readonly<Record<string, number>> = { mail: 3, bill: 1, rare: 1 };

function serve(shares: FairShares<string>, queues: readonly string[], rounds: number): Record<string, number> {
  const served: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    const [next = ''] = shares.orderByShare(queues);
    shares.recordServed(next, 1);
    served[next] = (served[next] ?? 0) + 1;
  }
  return served;
}

test('capacity that becomes free one by one is shared by weight', () => {
  const shares = new FairShares<string>((queue) => weights[queue] ?? 1);
  expect(serve(shares, ['mail', 'bill'], 400)).toEqual({ mail: 300, bill: 100 });
});

test('a queue that had nothing to do neither saves up nor waits', () => {
  const shares = new FairShares<string>((queue) => weights[queue] ?? 1);
  serve(shares, ['mail', 'bill'], 400);
  const { rare = 0 } = serve(shares, ['mail', 'bill', 'rare'], 50);
  expect(rare).toBeGreaterThanOrEqual(9);
  expect(rare).toBeLessThanOrEqual(11);
});

test('a large capacity is shared by weight too, and every queue gets some', () => {
  const shares = new FairShares<string>((queue) => weights[queue] ?? 1);
  const queues = ['mail', 'bill'];
  expect(queues.map((queue) => shares.shareOf(queue, queues, 100))).toEqual([75, 25]);
  expect(shares.shareOf('bill', queues, 1)).toBe(1);
});
