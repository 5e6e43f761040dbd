import { DECORATED_FUNCTION } from '../table-queue.constants.js';

/** Stores the function that a method has when `@QueueHandler` decorates it. A later decorator may replace it. */
export function keepDecoratedFunction(prototype: object, method: string, decorated: object): void {
  Reflect.defineMetadata(DECORATED_FUNCTION, decorated, prototype, method);
}

/** The function that was decorated as a method of this class itself, not of one that it inherits from. */
export function decoratedFunction(prototype: object, method: string): object | undefined {
  return Reflect.getOwnMetadata(DECORATED_FUNCTION, prototype, method) as object | undefined;
}

/**
 * Gives a method the metadata of the function that was decorated, if another decorator has replaced that. Guards and
 * the handler itself would otherwise be lost.
 */
export function inheritMetadata(prototype: object, name: string, method: object): void {
  const decorated = decoratedFunction(prototype, name);
  if (decorated === undefined || decorated === method) {
    return;
  }
  for (const key of Reflect.getMetadataKeys(decorated) as unknown[]) {
    if (!Reflect.hasOwnMetadata(key, method)) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, decorated), method);
    }
  }
}
