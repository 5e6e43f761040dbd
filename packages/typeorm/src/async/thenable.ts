/** Whether a value can be awaited. Other values are not awaited: that would cost every job a turn of the event loop. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === 'object' || typeof value === 'function';
  return isObject && value !== null && 'then' in value && typeof value.then === 'function';
}

/** All promises among some values; undefined if there are none, so that the caller does not have to wait. */
export function allPromises(values: readonly unknown[]): Promise<unknown> | undefined {
  const promises = values.filter((value) => value instanceof Promise);
  return promises.length > 0 ? Promise.all(promises) : undefined;
}
