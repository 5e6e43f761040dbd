import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { assertOrderKey } from './names.js';

/** What becomes of a key when one of its jobs has failed for good. */
const AFTER_FAILURE = ['block', 'continue'] as const;

/** The option `order` of `defineJob`. */
export interface OrderOptions<Input = never> {
  /**
   * Returns the key of a payload: 1 to 191 characters, or undefined for a job without an order. Jobs of one definition
   * with the same key run one after another, in the order in which they were enqueued.
   */
  readonly by: (payload: Input) => string | undefined;
  /**
   * What happens when a job has failed for good. With `'block'` the later jobs of its key wait until you retry or skip
   * it. With `'continue'` the next one runs. Default: `'block'`.
   */
  readonly afterFailure?: (typeof AFTER_FAILURE)[number];
}

/** How the jobs of a definition are ordered. */
export interface OrderPolicy {
  readonly by: (payload: never) => string | undefined;
  readonly blocks: boolean;
}

/** The place of a job among others. */
export interface JobOrder {
  readonly key: string;
  /** Whether its key is blocked if it fails. */
  readonly blocks: boolean;
}

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveOrder(options: OrderOptions): OrderPolicy {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidOptionError('order', options, 'an object with the function `by`');
  }
  assertKnownOptions(options, ['by', 'afterFailure'], 'order.');
  const { by, afterFailure = 'block' } = options;
  if (typeof by !== 'function') {
    throw new InvalidOptionError('order.by', by, 'a function that returns the key of a payload');
  }
  if (!AFTER_FAILURE.includes(afterFailure)) {
    throw new InvalidOptionError('order.afterFailure', afterFailure, "'block' or 'continue'");
  }
  return { by, blocks: afterFailure === 'block' };
}

/**
 * Returns the order of a job; null for none.
 *
 * @throws InvalidNameError for a key that cannot be stored.
 */
export function orderOf(policy: OrderPolicy | undefined, payload: unknown): JobOrder | null {
  const key = policy?.by(payload as never);
  if (policy === undefined || key === undefined) {
    return null;
  }
  assertOrderKey(key);
  return { key, blocks: policy.blocks };
}
