import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import { type Rate, costOf, defaultBurst, emptyAhead, isTooFarAhead, retryIn, timeUntil, tokensAt } from './rate.js';

const anyRate: fc.Arbitrary<Rate> = fc.record({
  jobs: fc.integer({ min: 1, max: 5_000 }),
  window: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 86_400_000 })),
  burst: fc.integer({ min: 1, max: 300 }),
});

/** Claims of some jobs, each so many ms after the last one, as two statements of a claim see the time. */
const anyClaims = fc.array(
  fc.record({ after: fc.nat(500), wanted: fc.integer({ min: 1, max: 400 }), took: fc.nat(5) }),
  { minLength: 1, maxLength: 60 },
);

/** The claims that a rate admits: when, in ms, and how many jobs. `took` passes from the admission to the start. */
function admittedOf(rate: Rate, claims: readonly { after: number; wanted: number; took: number }[]) {
  let now = 1_700_000_000_000;
  let fullAt = 0;
  return claims.map(({ after, wanted, took }) => {
    now += after;
    const jobs = Math.min(wanted, tokensAt(rate, fullAt - now * 1_000));
    now += took;
    if (jobs > 0) {
      fullAt = Math.max(fullAt, now * 1_000) + costOf(rate, jobs);
      expect(isTooFarAhead(rate, fullAt - now * 1_000)).toBe(false);
    }
    return { at: now, jobs };
  });
}

test('in any interval at most burst + time × rate jobs start', () => {
  const property = fc.property(anyRate, anyClaims, (rate, claims) => {
    const admitted = admittedOf(rate, claims);
    for (const [first, { at: since }] of admitted.entries()) {
      let jobs = 0;
      for (const { at, jobs: more } of admitted.slice(first)) {
        jobs += more;
        const most = rate.burst + ((at - since) * rate.jobs) / rate.window;
        expect(jobs).toBeLessThanOrEqual(most + 1e-6);
      }
    }
  });
  fc.assert(property);
});

test('a claim at the time that was announced gets the tokens, and one before does not', () => {
  const property = fc.property(anyRate, fc.nat(10_000_000), fc.integer({ min: 1, max: 300 }), (rate, ahead, wanted) => {
    const tokens = Math.min(wanted, rate.burst);
    const wait = timeUntil(rate, ahead, tokens);
    expect(tokensAt(rate, ahead - wait * 1_000)).toBeGreaterThanOrEqual(tokens);
    if (wait > 0) {
      expect(tokensAt(rate, ahead - (wait - 1) * 1_000)).toBeLessThan(tokens);
    }
  });
  fc.assert(property);
});

test('a worker at the limit of a high rate collects tokens, but loses none', () => {
  const property = fc.property(anyRate, (rate) => {
    const empty = emptyAhead(rate);
    const wait = retryIn(rate, empty);
    expect(wait).toBeGreaterThan(0);
    // The time of one token. An empty bucket and a bucket with a token are each rounded to a µs.
    expect(wait).toBeLessThanOrEqual(Math.max(11, Math.ceil((costOf(rate, 1) + 1) / 1_000)));
    // Half of the bucket, or the one token that there can be.
    expect(tokensAt(rate, empty - (wait - 1) * 1_000)).toBeLessThanOrEqual(Math.max(1, rate.burst / 2));
  });
  fc.assert(property, { examples: [[{ jobs: 2_587, window: 81_355_974, burst: 18 }]] });
});

describe('the default burst', () => {
  test.each([
    [1, 86_400_000, 1],
    [100, 60_000, 1],
    [9, 1_000, 1],
    [10, 1_000, 2],
    [1_000, 1_000, 101],
    [1, 10, 1],
    [1_000_000_000, 1, 1_000_000_000],
  ])('of %i jobs in %i ms is %i', (jobs, window, burst) => {
    expect(defaultBurst({ jobs, window })).toBe(burst);
  });
});
