import type { Examined } from './examined.js';
import type { Answer } from './finding.js';

/** One thing to look at. It changes nothing in the database. */
export interface Check<Subject extends Examined = Examined> {
  /** Names it in reports: lower case and hyphens. */
  readonly name: string;
  /** Whether it has a session of its own, and so may run beside the others, which share one. Default: false. */
  readonly hasOwnSession?: boolean;
  /** What it throws makes it `unknown`. */
  run(subject: Subject): Promise<Answer> | Answer;
}
