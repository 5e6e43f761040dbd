/**
 * Hands a list over in chunks. Several are under way at once: while the server stores one, the next is prepared.
 *
 * @template T
 * @param {readonly T[]} list
 * @param {{ size: number, concurrency: number }} how
 * @param {(chunk: T[]) => Promise<unknown>} store
 */
export async function inChunks(list, { size, concurrency }, store) {
  let next = 0;
  const storeSome = async () => {
    while (next < list.length) {
      const start = next;
      next += size;
      await store(list.slice(start, next));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, storeSome));
}
