/** Nothing is awaited that need not be: it costs every job a turn of its own. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === 'object' || typeof value === 'function';
  return isObject && value !== null && 'then' in value && typeof value.then === 'function';
}
