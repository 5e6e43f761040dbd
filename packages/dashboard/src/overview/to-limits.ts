import type { QueueControlState } from '@tablequeue/typeorm';
import { defaultBurst } from '@tablequeue/typeorm/internal';

import type { QueueLimits, RateLimit } from '../contract/index.js';

/** @param settings of the queue; undefined if it has none. */
export function toLimits(settings: QueueControlState | undefined): QueueLimits {
  const { concurrency, concurrencyPerTenant, rate, ratePerTenant, maxLength } = settings ?? {};
  return {
    concurrency: concurrency ?? null,
    rate: toRate(rate),
    perTenant: concurrencyPerTenant ?? null,
    ratePerTenant: toRate(ratePerTenant),
    maxLength: maxLength ?? null,
  };
}

/** The default burst is left out, so that it follows when the rate is edited. */
function toRate(rate: QueueControlState['rate']): RateLimit | null {
  if (!rate) {
    return null;
  }
  const { jobs, per, burst } = rate;
  return { jobs, per, burst: burst === defaultBurst({ jobs, window: per }) ? null : burst };
}
