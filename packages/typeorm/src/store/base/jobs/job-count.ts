/** A number of jobs. */
export interface JobCount {
  readonly count: number;
  /** Whether counting stopped at the limit: then `count` is a minimum. */
  readonly isCapped: boolean;
}

/** A count up to a limit, from a number that was counted up to one more. */
export function cappedCount(counted: number, limit: number): JobCount {
  return { count: Math.min(counted, limit), isCapped: counted > limit };
}
