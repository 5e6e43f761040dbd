import type { UniqueKey } from '../definition/unique-policy.js';

/** When a new job is due: now, after a delay by the database's clock, or at a time. All in ms. */
export type Due = { readonly delay: number } | { readonly at: number };

/** A job about to be stored. */
export interface NewJob {
  readonly id: Buffer;
  readonly queue: string;
  readonly name: string;
  readonly key: string | null;
  /** JSON text; null for a job without a payload. */
  readonly payload: string | null;
  readonly priority: number;
  readonly due: Due;
  readonly unique: UniqueKey | null;
  readonly tenant: string | null;
}
