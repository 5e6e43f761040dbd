import { median } from '../../bench/statistics.js';

/** A value at a time, in ms. */
export type Point = readonly [at: number, value: number];

/**
 * By how much the values grow from the first of the points to the last, along their slope. The slope is the median of
 * the slopes between all pairs of points (Theil and Sen). Events at fewer than a quarter of the points do not change
 * it.
 */
export function growthOf(points: readonly Point[]): number {
  const slopes: number[] = [];
  for (const [index, [at, value]] of points.entries()) {
    for (const [laterAt, later] of points.slice(index + 1)) {
      slopes.push((later - value) / (laterAt - at));
    }
  }
  const span = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
  return slopes.length === 0 ? 0 : median(slopes) * span;
}
