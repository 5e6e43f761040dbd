import type { AnyEventDefinition, EventDefinition } from '../../definition/event-definition.js';
import { type SubscriptionOptions, defineSubscription } from '../../definition/subscription.js';
import { InvalidOptionError } from '../../errors/index.js';
import {
  type HandlerFunction,
  type JobHandler,
  type TransactionalHandlerFunction,
  jobHandler,
  transactionalHandler,
} from './job-handler.js';

/** Options of `eventHandler`. */
export interface EventHandlerOptions extends SubscriptionOptions {
  /** Runs the handler in a transaction that also completes its job: see `transactionalHandler`. Default: false. */
  readonly transactional?: boolean;
}

/**
 * Subscribes a handler to an event. Each event that is published gets the subscription one job, with its own queue,
 * retries and failures, whatever becomes of the jobs of other subscriptions.
 *
 * A worker with the handler registers the subscription when it starts. From then on it gets every event, also while no
 * worker with the handler runs, until `queue.subscriptions.remove`. The name of its jobs is `<event>@<subscription>`.
 *
 * Delivery is at least once: make the handler idempotent, or `transactional`. Events have no order.
 *
 * @example
 * const handler = eventHandler(orderPaid, { subscription: 'mailing', queue: 'mail' }, async ({ orderId }, job) => {
 *   await mailer.sendReceipt(orderId, { idempotencyKey: job.id });
 * });
 *
 * @throws WildcardEventError for an event name with a `*`.
 * @throws SubscriptionOptionError for `unique`, `order` and `tenant`.
 * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for wrong options.
 */
export function eventHandler<Input, Output>(
  event: EventDefinition<Input, Output>,
  options: EventHandlerOptions & { readonly transactional: true },
  handle: NoInfer<TransactionalHandlerFunction<Output>>,
): JobHandler;
export function eventHandler<Input, Output>(
  event: EventDefinition<Input, Output>,
  options: EventHandlerOptions & { readonly transactional?: false },
  handle: NoInfer<HandlerFunction<Output>>,
): JobHandler;
export function eventHandler(
  event: AnyEventDefinition,
  options: EventHandlerOptions,
  handle: (payload: unknown, job: never) => unknown,
): JobHandler {
  const definition = defineSubscription(event, options, '', ['transactional']);
  const { transactional = false } = options;
  if (typeof transactional !== 'boolean') {
    throw new InvalidOptionError('transactional', transactional, 'true or false');
  }
  return transactional
    ? transactionalHandler(definition, handle as TransactionalHandlerFunction<unknown>)
    : jobHandler(definition, handle as HandlerFunction<unknown>);
}
