import type { TransactionOptions } from '../enqueue/caller-transaction.js';

/** Options of `signal` and `signalByKey`. */
export interface SignalOptions extends TransactionOptions {
  /**
   * Sends the signal at most once: a second one with the same text, to the same job and of the same name, is not
   * stored. 1 to 191 characters, such as the id of a webhook. Default: each call sends a signal.
   */
  readonly once?: string;
}
