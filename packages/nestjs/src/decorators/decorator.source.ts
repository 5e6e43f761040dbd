/** Names a decorated method in error texts: `Class.method`; a class by its name. */
export function sourceOf(target: object, property: string | symbol | undefined): string {
  const type = typeof target === 'function' ? target : target.constructor;
  return property === undefined ? type.name : `${type.name}.${String(property)}`;
}
