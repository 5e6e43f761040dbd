/**
 * Milliseconds by a clock that all processes of a machine share and nobody sets: the order of what they note can be
 * told by it, also where one has a wrong idea of the date. `performance.now()` counts from the start of its process.
 */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
