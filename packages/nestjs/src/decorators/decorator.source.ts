/** Names a decorated method in error texts: `Class.method`. */
export function sourceOf(target: object, property: string | symbol): string {
  const type = typeof target === 'function' ? target : target.constructor;
  return `${type.name}.${String(property)}`;
}
