/**
 * What came of a check: `problem` when something does not work, or will not; `warning` when it does, but worse than it
 * could or with a risk; `unknown` when it could not be found out.
 */
export type FindingStatus = 'ok' | 'warning' | 'problem' | 'unknown';

/** What a check has found. */
export interface Finding {
  /** The check's name: `claim-plan`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** What there is, in one line. */
  readonly found: string;
  /** Why it matters, in one line. Not where all is well. */
  readonly why: string | undefined;
  /** What to change: statements, or lines of the server's configuration. Empty where nothing is to be changed. */
  readonly change: readonly string[];
}

/** A finding without the name of its check. */
export type Answer = Omit<Finding, 'check'>;

/** All is well. */
export function ok(found: string): Answer {
  return { status: 'ok', found, why: undefined, change: [] };
}

/** It works, but worse than it could, or with a risk. */
export function warning(found: string, why: string, ...change: string[]): Answer {
  return { status: 'warning', found, why, change };
}

/** It does not work, or will not. */
export function problem(found: string, why: string, ...change: string[]): Answer {
  return { status: 'problem', found, why, change };
}

/** It could not be found out. */
export function unknown(found: string, why: string, ...change: string[]): Answer {
  return { status: 'unknown', found, why, change };
}
