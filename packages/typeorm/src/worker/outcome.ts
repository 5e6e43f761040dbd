/** What comes of one run of a job. */
export type RunOutcome =
  | { readonly kind: 'succeeded'; readonly result: string | null }
  /** No attempt is left, or none makes sense. */
  | { readonly kind: 'failed'; readonly error: Error; readonly text: string }
  /** Tried again after `delay` ms. */
  | { readonly kind: 'retried'; readonly error: Error; readonly text: string; readonly delay: number }
  /** No handler here: left for another process, after `delay` ms. */
  | { readonly kind: 'unhandled'; readonly delay: number }
  /** Broken off because the worker stops or has lost its lease: handed back, uncharged. */
  | { readonly kind: 'released' };
