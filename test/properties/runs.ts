/**
 * How many cases of each property are tried: few in CI, more where `TABLEQUEUE_PROPERTY_RUNS` is a factor. A failure is
 * reported with its seed.
 */
export function runs(usual: number): { readonly numRuns: number } {
  return { numRuns: usual * Math.max(1, Number(process.env['TABLEQUEUE_PROPERTY_RUNS'] ?? 1)) };
}
