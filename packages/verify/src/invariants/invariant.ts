import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';

/** An event that contradicts a guarantee. */
export interface Violation {
  /** What happened, in one sentence. */
  readonly text: string;
  readonly ids: readonly string[];
}

/** A guarantee of the queue, with its check. `index.ts` lists them. */
export interface Invariant {
  readonly name: string;
  /** The guarantee, in one sentence. */
  readonly guarantee: string;
  /** Returns whether the queue gives this guarantee on the database of the run. Default: always. */
  applies?(evidence: Evidence): boolean;
  check(evidence: Evidence): Violation[];
}

/** Returns a check of each job. `findError` returns what is wrong with a job, in one sentence. */
export function forEachJob(
  findError: (job: JobEvidence, evidence: Evidence) => string | undefined,
): (evidence: Evidence) => Violation[] {
  return (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = findError(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    });
}
