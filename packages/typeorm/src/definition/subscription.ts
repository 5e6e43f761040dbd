import { types } from 'node:util';

import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError, SubscriptionOptionError } from '../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../options.js';
import { addDefinedJob } from './define-job.js';
import { type AnyEventDefinition, assertEventDefinition } from './event-definition.js';
import { type Since, type Subscription, subscriptionJobName } from './event-queue.js';
import { type AnyJobDefinition, type JobDefinitionOptions, makeJobDefinition } from './job-definition.js';
import { assertSubscriptionName } from './names.js';
import { PRIORITY_RANGE } from './priority-range.js';
import { assertUnreservedQueue } from './reserved-queues.js';

/** Options of a subscription. */
export interface SubscriptionOptions extends Pick<JobDefinitionOptions, 'queue' | 'retry' | 'keep' | 'timeout'> {
  /**
   * The name of the subscription among those of its event: 1 to 63 of the characters A-Z a-z 0-9 . _ : / -, beginning
   * with a letter or a digit. It is stored, so it must not change: another name is another subscription.
   */
  readonly subscription: string;
  /** The priority of its jobs: see `JobOptions.priority`. Default: 0. */
  readonly priority?: number;
  /**
   * From when on it gets events that were published before it was registered: up to 100 years ago, or a time. Older
   * events than the workers keep are gone: see `retention`. It counts when the subscription is registered for the first
   * time. Default: it gets the events that are published after its registration.
   */
  readonly since?: Duration | Date;
}

export const SUBSCRIPTION_OPTIONS: readonly string[] = [
  'subscription',
  'queue',
  'priority',
  'retry',
  'keep',
  'timeout',
  'since',
];

/** Options of `defineJob` whose functions a process without the subscription's code cannot call. */
const FUNCTIONS_OF_PAYLOAD = ['unique', 'order', 'tenant'];

/**
 * Makes the definition of a subscription's jobs.
 *
 * @param path the path of the options in error messages: `''` or ending in a dot.
 * @param others further options that the caller reads.
 * @throws SubscriptionOptionError, InvalidOptionError, UnknownOptionError, InvalidNameError, WildcardEventError
 */
export function defineSubscription(
  event: AnyEventDefinition,
  options: SubscriptionOptions,
  path = '',
  others: readonly string[] = [],
): AnyJobDefinition {
  assertEventDefinition(`${path}event`, event);
  const refused = FUNCTIONS_OF_PAYLOAD.find((option) => typeof options === 'object' && Object.hasOwn(options, option));
  if (refused !== undefined) {
    throw new SubscriptionOptionError(refused);
  }
  assertKnownOptions(options, [...SUBSCRIPTION_OPTIONS, ...others], path);
  const { subscription: name, queue, priority = 0, retry, keep, timeout, since } = options;
  assertSubscriptionName(name);
  assertUnreservedQueue(`${path}queue`, queue);
  const { schema, version, upcasters, codec } = event.job;
  const job = makeJobDefinition(subscriptionJobName(event.name, name), {
    version,
    upcasters,
    ...(schema && { schema }),
    ...(codec && { codec }),
    ...(queue !== undefined && { queue }),
    ...(retry !== undefined && { retry }),
    ...(keep !== undefined && { keep }),
    ...(timeout !== undefined && { timeout }),
  });
  const subscription: Subscription = {
    event: event.name,
    name,
    priority: wholeNumber(`${path}priority`, priority, PRIORITY_RANGE.first, PRIORITY_RANGE.last),
    since: since === undefined ? undefined : resolveSince(`${path}since`, since),
  };
  const definition = Object.freeze({ ...job, subscription });
  addDefinedJob(definition);
  return definition;
}

/** @throws InvalidOptionError */
export function resolveSince(option: string, since: Duration | Date): Since {
  if (!types.isDate(since)) {
    return { ago: toMilliseconds(option, since) };
  }
  if (Number.isNaN(since.getTime())) {
    throw new InvalidOptionError(option, since, 'a valid Date, or a duration');
  }
  return { at: since.getTime() };
}
