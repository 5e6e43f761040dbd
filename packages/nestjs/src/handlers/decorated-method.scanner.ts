import { type QueueHandlerMetadata, handlerMetadata } from '../decorators/queue-handler.decorator.js';
import type { RecurringMetadata } from '../decorators/recurring.decorator.js';
import { type DeclaredProperty, type Method, type ReachedProperty, reachedProperties } from './declared.properties.js';
import { decoratedFunction, inheritMetadata } from './decorated.function.js';
import { methodMetadata } from './method.metadata.js';
import { MissingQueueHandlerError, UndecoratedOverrideError, UnsupportedHandlerMethodError } from '../errors/index.js';
import { RECURRING_METADATA } from '../table-queue.constants.js';

/** One `@QueueHandler` or `@OnEvent` of a method, of a class or one it inherits from. */
export interface DecoratedMethod {
  readonly name: string;
  readonly method: Method;
  readonly metadata: QueueHandlerMetadata;
  readonly recurring: readonly RecurringMetadata[];
}

/** What the decorators of a property have left. */
interface Decorations {
  readonly handlers: readonly QueueHandlerMetadata[];
  readonly recurring: readonly RecurringMetadata[];
}

/**
 * The decorated methods of a class and of those it inherits from; of an overridden one, the one that a call would
 * reach. Nothing is called, accessors neither.
 *
 * @param placeOf names a method in error texts.
 * @throws MissingQueueHandlerError, UndecoratedOverrideError, UnsupportedHandlerMethodError
 */
export function decoratedMethods(prototype: object, placeOf: (method: string) => string): readonly DecoratedMethod[] {
  return reachedProperties(prototype).flatMap((property) => {
    const { name, method } = property;
    const { handlers, recurring } = decorationsOf(property);
    assertDecoratedAgain(property, { handlers, recurring }, placeOf(name));
    if (handlers.length === 0 && recurring.length === 0) {
      return [];
    }
    if (!method) {
      throw new UnsupportedHandlerMethodError(placeOf(name), 'accessor');
    }
    if (handlers.length === 0) {
      throw new MissingQueueHandlerError(placeOf(name));
    }
    return handlers.map((metadata) => ({ name, method, metadata, recurring }));
  });
}

/** An override without the decorators would silently lose the handler, or its schedules. */
function assertDecoratedAgain({ name, overridden }: ReachedProperty, own: Decorations, place: string): void {
  for (const property of overridden) {
    const inherited = decorationsOf(property);
    const other = `${property.owner.constructor.name}.${name}`;
    if (inherited.handlers.length > 0 && own.handlers.length === 0) {
      throw new UndecoratedOverrideError(place, other);
    }
    if (inherited.recurring.length > 0 && own.recurring.length === 0) {
      throw new UndecoratedOverrideError(place, other, '@Recurring');
    }
  }
}

function decorationsOf({ owner, name, method }: DeclaredProperty): Decorations {
  if (method) {
    inheritMetadata(owner, name, method);
  }
  const decorated = method ?? decoratedFunction(owner, name);
  return {
    handlers: decorated ? handlerMetadata(decorated) : [],
    recurring: methodMetadata(RECURRING_METADATA, owner, name) as readonly RecurringMetadata[],
  };
}
