import { expect } from '@jest/globals';

/** A rate limit with numbers only. */
export interface NumericRate {
  readonly jobs: number;
  /** In ms. */
  readonly per: number;
  readonly burst: number;
}

/** Expects that in any interval at most `burst + time × jobs / per` jobs have started. */
export function expectAtMost(started: readonly { readonly claimedAt: number }[], rate: NumericRate): void {
  const times = started.map(({ claimedAt }) => claimedAt).sort((a, b) => a - b);
  let most = -Infinity;
  for (const [first, from] of times.entries()) {
    for (let last = first; last < times.length; last++) {
      most = Math.max(most, last - first + 1 - ((times[last]! - from) * rate.jobs) / rate.per);
    }
  }
  expect(most).toBeLessThanOrEqual(rate.burst);
}
