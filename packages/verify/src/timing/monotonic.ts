/**
 * Returns milliseconds of a clock that all processes of a machine share and that cannot be set. It orders what
 * different processes record, even if the date of one is wrong. `performance.now()` starts at 0 in each process.
 */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
