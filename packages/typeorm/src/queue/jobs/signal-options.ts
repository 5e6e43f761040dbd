import type { ActionOptions } from '../../action-options.js';
import type { TransactionOptions } from '../enqueue/caller-transaction.js';

/** Options of `signal` and `signalByKey`. */
export interface SignalOptions extends TransactionOptions, ActionOptions {
  /**
   * Sends the signal at most once: a second signal with this text is not stored. It counts for one job and one name of
   * a signal. 1 to 191 characters, such as the id of a webhook. Default: each call sends a signal.
   */
  readonly once?: string;
}
