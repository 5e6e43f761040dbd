import type { TotalsByState } from '@tablequeue/typeorm';

import type { JobState, Total, Totals } from '../contract/index.js';

/** @param offset from this process's clock to the database's, in ms. */
export function toTotals(states: TotalsByState, offset: number): Totals {
  const toTotal = ({ count, isMinimum, isEstimate, countedAt, perMinute }: TotalsByState['ready']): Total => {
    const at = Math.round(countedAt.getTime() + offset);
    return { count, isCapped: isMinimum, isEstimate, countedAt: at, perMinute: perMinute ?? null };
  };
  return Object.fromEntries(
    Object.entries(states).map(([state, total]) => [state as JobState, toTotal(total)]),
  ) as Totals;
}
