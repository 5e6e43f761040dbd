/** Nothing is awaited that need not be: it costs every job a turn of its own. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === 'object' || typeof value === 'function';
  return isObject && value !== null && 'then' in value && typeof value.then === 'function';
}

/** All promises among some values; undefined where there are none, so that nobody waits for nothing. */
export function allPromises(values: readonly unknown[]): Promise<unknown> | undefined {
  const promises = values.filter((value) => value instanceof Promise);
  return promises.length > 0 ? Promise.all(promises) : undefined;
}
