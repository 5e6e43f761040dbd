/** How a list is handed over. */
export interface Chunks {
  /** How many items a chunk has at most. */
  readonly size: number;
  /** How many chunks are under way at once: while the server stores one, the next is prepared. */
  readonly concurrency: number;
}

/** What all subjects are given that take more than one call for many jobs; more than two at once gained nothing. */
export const BULK: Chunks = { size: 1_000, concurrency: 2 };

/** Hands a list over in chunks. */
export async function inChunks<Item>(
  list: readonly Item[],
  { size, concurrency }: Chunks,
  store: (chunk: Item[]) => Promise<unknown>,
): Promise<void> {
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
