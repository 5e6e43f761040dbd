/** The exit codes of the command line. */
export const ExitCode = {
  done: 0,
  /** An error; `status`, `doctor` or `verify` found a problem; or a given job or subscription does not exist. */
  failed: 1,
  /** The arguments are wrong. */
  usage: 2,
} as const;

/** An exit code. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
