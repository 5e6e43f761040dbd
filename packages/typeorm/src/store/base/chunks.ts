/**
 * The most characters of one statement: well below max_allowed_packet (16 MB on MariaDB) even if every byte is escaped.
 */
export const MOST_CHARACTERS = 2 * 1024 * 1024;

/**
 * Splits items into chunks for one statement each. An item that is larger than the limit gets a chunk of its own.
 *
 * @param most how many items a chunk has at most.
 * @param charactersOf about how many characters an item adds to the statement.
 */
export function* chunksOf<Item>(
  items: readonly Item[],
  most: number,
  charactersOf: (item: Item) => number = () => 0,
): Generator<Item[]> {
  let chunk: Item[] = [];
  let characters = 0;
  for (const item of items) {
    const size = charactersOf(item);
    if (chunk.length === most || (chunk.length > 0 && characters + size > MOST_CHARACTERS)) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(item);
    characters += size;
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/*
 * Lists of ids stay below a thousand. MariaDB rewrites longer ones into a subquery, which reads and locks the whole
 * table whatever index is forced. MySQL gives up on the index where a list needs too much memory. SQLite limits the
 * variables.
 */

/** How many jobs a claim, and a transaction of outcomes, has at most. See docs/decisions/0008. */
export const MOST_CLAIMED = 800;

/** How many ids any other list has at most: no worker waits for these statements, and their locks are short. */
export const MOST_IDS = 400;

/** How many SELECTs one UNION has at most: SQLite allows 500. */
export const MOST_UNITED = 400;
