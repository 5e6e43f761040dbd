/** The answer of `firstWithin` where no promise has resolved in time. */
export const LATE = Symbol('late');

/** The first promise that resolves, or LATE where none has within so many ms. */
export async function firstWithin<T>(promises: readonly Promise<T>[], milliseconds: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    // Answers that arrived while this process was busy are read first.
    timer = setTimeout(() => setImmediate(resolve, LATE), milliseconds);
  });
  try {
    return await Promise.race([Promise.any(promises), late]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  } finally {
    clearTimeout(timer);
  }
}
