import type { StandardSchemaV1 } from '@standard-schema/spec';

import { resolveSchema } from '../../definition/signal-definition.js';
import { type Duration, LONGEST, LONGEST_TIMER, toMilliseconds } from '../../duration.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, optionalTime } from '../../options.js';
import { type RetryPolicy, resolveRetryPolicy } from '../../retry/retry-policy.js';
import { LATEST_TIME } from '../../store/base/order/sort-key.js';
import type { Due } from '../../store/base/steps/step-row.js';
import type { StepOptions } from '../handlers/durable-context.js';

/** Options of a step, checked and complete. */
export interface ResolvedStepOptions {
  readonly retry: Pick<RetryPolicy, 'attempts' | 'backoff'>;
  /** In ms. */
  readonly timeout: number | undefined;
  readonly schema: StandardSchemaV1 | undefined;
  readonly isTransactional: boolean;
}

/**
 * @param fallback the retry policy of the definition.
 * @throws InvalidOptionError, UnknownOptionError
 */
export function resolveStepOptions(
  options: StepOptions & { readonly transactional?: boolean },
  fallback: RetryPolicy,
): ResolvedStepOptions {
  assertKnownOptions(options, ['retry', 'timeout', 'schema', 'transactional']);
  const { retry, timeout, schema, transactional = false } = options;
  if (typeof transactional !== 'boolean') {
    throw new InvalidOptionError('transactional', transactional, 'true or false');
  }
  if (retry !== undefined) {
    assertKnownOptions(retry, ['attempts', 'backoff'], 'retry.');
  }
  return {
    retry: retry === undefined ? fallback : resolveRetryPolicy(retry),
    timeout: timeout === undefined ? undefined : toMilliseconds('timeout', timeout, 1, LONGEST_TIMER),
    schema: resolveSchema(schema),
    isTransactional: transactional,
  };
}

/**
 * Returns when a wait is due.
 *
 * @throws InvalidOptionError
 */
export function resolveDue(option: string, wait: Duration | Date): Due {
  if (typeof wait !== 'object') {
    return { delay: toMilliseconds(option, wait, 0, LONGEST) };
  }
  const at = optionalTime(option, wait) as number;
  if (at < 0 || at >= LATEST_TIME) {
    throw new InvalidOptionError(option, wait, 'a Date from 1970 to 2286');
  }
  return { at };
}
