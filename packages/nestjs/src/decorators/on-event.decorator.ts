import type {
  AnyEventDefinition,
  DurableJobContext,
  EventDefinition,
  EventHandlerOptions,
  TransactionalJobContext,
} from '@tablequeue/typeorm';
import { defineSubscription } from '@tablequeue/typeorm/internal';

import { resolveDataSourceName } from '../options/data-source.name.js';
import { sourceOf } from './decorator.source.js';
import type { DecoratorArguments } from './method-decorator.types.js';
import { type HandlerDecorator, decorateHandler } from './queue-handler.decorator.js';

/** Options of `@OnEvent`. */
export interface OnEventOptions extends EventHandlerOptions {
  /** The name of the data source of the queue. Default: the default data source. */
  readonly dataSource?: string;
}

/**
 * Subscribes a method of a provider or controller to an event that `queue.publish` stores. Each event gets the
 * subscription one job, with its own queue, retries and failures: see `eventHandler`.
 *
 * It has the shape of the decorator of @nestjs/event-emitter, but the event is a definition, without wildcards. The
 * method is a handler as one with `@QueueHandler` is: it gets the payload and the `DurableJobContext`, and guards,
 * interceptors, pipes and exception filters apply. A method may have several, each with a subscription of its own.
 *
 * @example
 * @OnEvent(orderPaid, { subscription: 'mailing', queue: 'mail' })
 * async sendReceipt({ orderId }: EventPayload<typeof orderPaid>, job: JobContext) {
 *   await this.mail.sendReceipt(orderId, { idempotencyKey: job.id });
 * }
 *
 * @param event what `defineEvent` returned.
 * @throws WildcardEventError for an event name with a `*`.
 * @throws SubscriptionOptionError for `unique`, `order` and `tenant`.
 * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for a wrong event or option.
 * @throws UnsupportedHandlerMethodError as `@QueueHandler` does.
 * @throws RepeatedQueueHandlerError beside `@QueueHandler`, or twice for one subscription.
 */
export function OnEvent<Input, Output>(
  event: EventDefinition<Input, Output>,
  options: OnEventOptions & { readonly transactional: true },
): HandlerDecorator<Output, TransactionalJobContext>;
export function OnEvent<Input, Output>(
  event: EventDefinition<Input, Output>,
  options: OnEventOptions & { readonly transactional?: false },
): HandlerDecorator<Output, DurableJobContext>;
export function OnEvent(event: AnyEventDefinition, options: OnEventOptions) {
  return (...decorated: DecoratorArguments): void => {
    const path = `@OnEvent of ${sourceOf(decorated[0], decorated[1])}.`;
    const definition = defineSubscription(event, options, path, ['transactional', 'dataSource']);
    const dataSource = resolveDataSourceName(`${path}dataSource`, options.dataSource);
    const isTransactional = options.transactional === true;
    decorateHandler({ definition, dataSource, isTransactional, batch: undefined }, ...decorated);
  };
}
