import type { LiveState, Outcome } from '../../tables/job.js';

/** Where a search has found its text: as a whole in the first four, as a part in the others. */
export type SearchField = 'id' | 'key' | 'uniqueKey' | 'tenant' | 'name' | 'error' | 'payload';

/** What a search looks for. */
export interface SearchText {
  readonly text: string;
  /** The bytes of an id, if the text is one. */
  readonly id: Buffer | undefined;
  /** Whether the text can be a key, a unique key or a tenant. */
  readonly isKey: boolean;
  /** Whether the text can be a part of a name. */
  readonly isName: boolean;
  /** A payload must contain one of these texts. Empty: payloads are not searched. */
  readonly inPayload: readonly string[];
}

/** A job that a search has found. */
export interface SearchMatch {
  readonly id: Buffer;
  readonly state: LiveState | Outcome;
  readonly field: SearchField;
}

/** What a search has found among some jobs. */
export interface SearchChunk {
  /** The job with the highest id first. */
  readonly matches: readonly SearchMatch[];
  /** The lowest id among these jobs; undefined after the last ones. */
  readonly end: Buffer | undefined;
  /** How many jobs were examined. */
  readonly examined: number;
  /** The ids of codecs that have encoded values among them, without the ids that were known. */
  readonly codecs: readonly string[];
}

/** The order of a search: the highest id first. */
export function byIdDescending(a: SearchMatch, b: SearchMatch): number {
  return Buffer.compare(b.id, a.id);
}
