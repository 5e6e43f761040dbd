import { type QueueHandlerMetadata, handlerMetadata } from '../decorators/queue-handler.decorator.js';
import type { RecurringMetadata } from '../decorators/recurring.decorator.js';
import { inheritMetadata } from './decorated.function.js';
import { methodMetadata } from './method.metadata.js';
import { MissingQueueHandlerError, UndecoratedOverrideError } from '../errors/index.js';
import { RECURRING_METADATA } from '../table-queue.constants.js';

/** One `@QueueHandler` or `@OnEvent` of a method, of a class or one it inherits from. */
export interface DecoratedMethod {
  readonly name: string;
  readonly method: (...args: unknown[]) => unknown;
  readonly metadata: QueueHandlerMetadata;
  readonly recurring: readonly RecurringMetadata[];
}

/**
 * The decorated methods of a class and of those it inherits from; of an overridden one, the one that a call would
 * reach. Nothing is called, accessors neither.
 *
 * @param placeOf names a method in error texts.
 * @throws MissingQueueHandlerError, UndecoratedOverrideError
 */
export function decoratedMethods(prototype: object, placeOf: (method: string) => string): readonly DecoratedMethod[] {
  const seen = new Map<string, readonly DecoratedMethod[]>();
  for (const ancestor of lineOf(prototype)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(ancestor))) {
      const decorated = typeof value === 'function' ? decorationsOf(ancestor, name, value, placeOf) : [];
      if (!seen.has(name)) {
        seen.set(name, decorated);
      } else if (decorated.length > 0 && seen.get(name)?.length === 0) {
        throw new UndecoratedOverrideError(placeOf(name), `${ancestor.constructor.name}.${name}`);
      }
    }
  }
  return [...seen.values()].flat();
}

/** A prototype and those behind it, except that of all objects. */
function* lineOf(prototype: object): Generator<object> {
  for (
    let current: object | null = prototype;
    current !== null && current !== Object.prototype;
    current = Object.getPrototypeOf(current) as object | null
  ) {
    yield current;
  }
}

function decorationsOf(
  prototype: object,
  name: string,
  method: DecoratedMethod['method'],
  placeOf: (method: string) => string,
): readonly DecoratedMethod[] {
  inheritMetadata(prototype, name, method);
  const all = handlerMetadata(method);
  const recurring = methodMetadata(RECURRING_METADATA, prototype, name) as readonly RecurringMetadata[];
  if (recurring.length > 0 && all.length === 0) {
    throw new MissingQueueHandlerError(placeOf(name));
  }
  return all.map((metadata) => ({ name, method, metadata, recurring }));
}
