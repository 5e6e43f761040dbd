import type { Evidence } from '../evidence/evidence.js';

/** An event that contradicts a guarantee. */
export interface Violation {
  /** What happened, in one sentence. */
  readonly text: string;
  /** The ids of the jobs. */
  readonly ids: readonly string[];
}

/** A guarantee of the queue, with its check. Each is a file in this folder, and an entry in `index.ts`. */
export interface Invariant {
  readonly name: string;
  /** The guarantee, in one sentence. */
  readonly guarantee: string;
  /** Returns whether the queue gives this guarantee on the database of the run. Default: always. */
  applies?(evidence: Evidence): boolean;
  check(evidence: Evidence): Violation[];
}
