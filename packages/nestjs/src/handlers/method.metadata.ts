/**
 * Adds a value to the list that a method has under a key. Kept by the class and the name of the method, not on its
 * function: another decorator may replace that.
 */
export function addMethodMetadata(key: string, value: object, prototype: object, method: string | symbol): void {
  const others = (Reflect.getOwnMetadata(key, prototype, method) ?? []) as object[];
  Reflect.defineMetadata(key, [value, ...others], prototype, method);
}

/** The list of a method that this class declares itself. */
export function methodMetadata(key: string, prototype: object, method: string): readonly unknown[] {
  return (Reflect.getOwnMetadata(key, prototype, method) ?? []) as unknown[];
}
