import { beforeEach, describe, expect, test } from '@jest/globals';

import { FailureDetector } from './failure-detector.js';

const GRACE = 1_000;

describe('the death watch', () => {
  let dead: number[];
  let ownSilences: number;
  let hasLock: boolean;
  let watch: FailureDetector;
  beforeEach(() => {
    dead = [];
    ownSilences = 0;
    hasLock = true;
    watch = new FailureDetector({
      grace: GRACE,
      owner: () => 1,
      hasLock: () => hasLock,
      onOwnSilence: () => ownSilences++,
      onDeath: (ids) => dead.push(...ids),
    });
  });

  /** A look that was sent so many ms from now. */
  const look = (silent: number[], sentIn = 0, watched = 3) =>
    watch.saw({ watched, missing }, performance.now() + sentIn);

  test('takes a worker for dead that is silent in two looks a grace apart', () => {
    expect(look([2])).toBeCloseTo(GRACE, -2);
    look([2], GRACE - 50);
    expect(dead).toEqual([]);
    look([2], GRACE + 50);
    expect(dead).toEqual([2]);
  });

  test('the grace begins anew with each sign of life, and after the database was away', () => {
    look([2]);
    look([]);
    look([2], GRACE + 50);
    watch.forget();
    look([2], GRACE + 50);
    hasLock = false;
    expect(watch.isDue).toBe(false);
    hasLock = true;
    look([2], GRACE + 50);
    expect(dead).toEqual([]);
    look([2, 3], GRACE + 50);
    expect(dead).toEqual([2]);
  });

  test('its own silence says nothing of others', () => {
    look([2]);
    expect(look([1, 2], GRACE + 50)).toBeUndefined();
    expect([dead, ownSilences]).toEqual([[], 1]);
  });

  test('is due at once, and the less often the more there are', () => {
    expect(watch.isDue).toBe(true);
    expect(look([])).toBeUndefined();
    expect(watch.isDue).toBe(false);
    expect(
      [2, 4, 9, 1_000].map((watched) => {
        look([], 0, watched);
        const wait = watch['nextAt'] - performance.now();
        return [250, 750, 2_000, 2_000].findIndex((most) => wait <= most && wait > most / 2 - 20);
      }),
    ).toEqual([0, 1, 2, 2]);
  });
});
