import { beforeEach, describe, expect, test } from '@jest/globals';

import { FailureDetector } from './failure-detector.js';

const GRACE = 1_000;

describe('the failure detector', () => {
  let dead: number[];
  let ownLosses: number;
  let hasLock: boolean;
  let detector: FailureDetector;
  beforeEach(() => {
    dead = [];
    ownLosses = 0;
    hasLock = true;
    detector = new FailureDetector({
      gracePeriod: GRACE,
      owner: () => 1,
      hasLock: () => hasLock,
      onOwnLockLost: () => ownLosses++,
      reap: (ids) => {
        dead.push(...ids);
        return Promise.resolve();
      },
    });
  });

  const reaped = () => detector.waitUntilReaped().then(() => dead);

  /** A poll that was sent so many ms from now. */
  const poll = (missing: number[], sentIn = 0, watched = 3) =>
    detector.applyPoll({ watched, missing }, performance.now() + sentIn);

  test('reports a worker whose lock is free in two polls a grace period apart', async () => {
    expect(poll([2])).toBeCloseTo(GRACE, -2);
    poll([2], GRACE - 50);
    expect(await reaped()).toEqual([]);
    poll([2], GRACE + 50);
    expect(await reaped()).toEqual([2]);
  });

  test('the grace period restarts when the lock is held again, and after an outage', async () => {
    poll([2]);
    poll([]);
    poll([2], GRACE + 50);
    detector.reset();
    poll([2], GRACE + 50);
    hasLock = false;
    expect(detector.isDue).toBe(false);
    hasLock = true;
    poll([2], GRACE + 50);
    expect(await reaped()).toEqual([]);
    poll([2, 3], GRACE + 50);
    expect(await reaped()).toEqual([2]);
  });

  test('judges no others while its own lock is free', () => {
    poll([2]);
    expect(poll([1, 2], GRACE + 50)).toBeUndefined();
    expect([dead, ownLosses]).toEqual([[], 1]);
  });

  test('is due at once, and less often with more workers', () => {
    expect(detector.isDue).toBe(true);
    expect(poll([])).toBeUndefined();
    expect(detector.isDue).toBe(false);
    expect(
      [2, 4, 9, 1_000].map((watched) => {
        poll([], 0, watched);
        const wait = detector['nextAt'] - performance.now();
        return [250, 750, 2_000, 2_000].findIndex((most) => wait <= most && wait > most / 2 - 20);
      }),
    ).toEqual([0, 1, 2, 2]);
  });
});
