import type { Examined } from './examined.js';
import type { Answer } from './finding.js';

/** A check of the database. It changes nothing. */
export interface Check<Subject extends Examined = Examined> {
  /** Its name in reports: lower case and hyphens. */
  readonly name: string;
  /** Whether it uses a session of its own, so that it can run beside the others, which share one. Default: false. */
  readonly hasOwnSession?: boolean;
  /** Runs the check. An error makes its finding `unknown`. */
  run(subject: Subject): Promise<Answer> | Answer;
}
