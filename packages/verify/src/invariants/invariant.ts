import type { Evidence } from '../evidence/evidence.js';

/** Something that must not have happened. */
export interface Violation {
  /** What happened, in one sentence. */
  readonly text: string;
  /** The jobs it happened to. */
  readonly ids: readonly string[];
}

/** One thing that the queue promises: a file of its own in this folder, and an entry in `index.ts`. */
export interface Invariant {
  readonly name: string;
  /** What is promised, in one sentence. */
  readonly promise: string;
  /** Whether it is promised where the bench has run. Default: everywhere. */
  isPromised?(evidence: Evidence): boolean;
  check(evidence: Evidence): Violation[];
}
