/** Names a decorated method in error texts: `Class.method`; a class by its name. */
export function sourceOf(target: object, property: string | symbol | undefined): string {
  if (isStandardContext(property)) {
    return String(property.name);
  }
  const type = typeof target === 'function' ? target : target.constructor;
  return property === undefined ? type.name : `${type.name}.${String(property)}`;
}

/** Whether a decorator is called as a standard one (TC39): then it gets a context instead of a property. */
export function isStandardContext(property: unknown): property is { readonly name: string | symbol } {
  return typeof property === 'object' && property !== null;
}
