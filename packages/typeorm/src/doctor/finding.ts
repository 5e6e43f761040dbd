/**
 * The result of a check. `problem`: something does not work, or will fail. `warning`: it works, but slowly or with a
 * risk. `unknown`: the check could not find out.
 */
export type FindingStatus = 'ok' | 'warning' | 'problem' | 'unknown';

/** The finding of a check. */
export interface Finding {
  /** The name of the check, such as `claim-plan`. */
  readonly check: string;
  /** Whether it works. */
  readonly status: FindingStatus;
  /** The setting or state that was found, in one line. */
  readonly found: string;
  /** Why it matters, in one line; undefined for `ok`. */
  readonly why: string | undefined;
  /** What to do: SQL statements, lines of the server's configuration or advice. Empty if nothing needs to change. */
  readonly change: readonly string[];
}

/** A finding without the name of its check. */
export type Answer = Omit<Finding, 'check'>;

export function ok(found: string): Answer {
  return { status: 'ok', found, why: undefined, change: [] };
}

/** It works, but slowly or with a risk. */
export function warning(found: string, why: string, ...change: string[]): Answer {
  return { status: 'warning', found, why, change };
}

/** It does not work, or will fail. */
export function problem(found: string, why: string, ...change: string[]): Answer {
  return { status: 'problem', found, why, change };
}

/** The check could not find out. */
export function unknown(found: string, why: string, ...change: string[]): Answer {
  return { status: 'unknown', found, why, change };
}
