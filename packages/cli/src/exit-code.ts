/** What the process ends with. */
export const ExitCode = {
  done: 0,
  /** It failed, or doctor has found a problem, or the job that was named is not there. */
  failed: 1,
  /** Arguments that make no sense. */
  usage: 2,
} as const;

/** One of them. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
