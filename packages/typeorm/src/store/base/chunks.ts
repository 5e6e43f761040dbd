/** The most one statement carries: well below max_allowed_packet, 16 MB on MariaDB, also where every byte is escaped. */
export const MOST_CHARACTERS = 2 * 1024 * 1024;

/**
 * Cuts items into the parts that one statement carries each. An item that is larger by itself gets a part of its own.
 *
 * @param most how many items a part has at most.
 * @param charactersOf about how many characters an item adds to the statement.
 */
export function* chunksOf<Item>(
  items: readonly Item[],
  most: number,
  charactersOf: (item: Item) => number = () => 0,
): Generator<Item[]> {
  let part: Item[] = [];
  let characters = 0;
  for (const item of items) {
    const size = charactersOf(item);
    if (part.length === most || (part.length > 0 && characters + size > MOST_CHARACTERS)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(item);
    characters += size;
  }
  if (part.length > 0) {
    yield part;
  }
}

/*
 * Lists of ids stay below a thousand. From there on MariaDB rewrites them into a subquery, which reads, and locks, the whole
 * table whatever index is forced; MySQL gives up on the index where a list needs too much memory; SQLite has a limit of
 * variables.
 */

/**
 * How many jobs one claim brings at most, and one transaction of outcomes writes down: with 400 each a drain has twice as
 * many commits to wait for, and made 0.88 to 0.89 times as many jobs/s (see docs/decisions.md).
 */
export const MOST_CLAIMED = 800;

/** How many ids any other list has at most: nobody waits for what is done with them, and its locks stay short. */
export const MOST_IDS = 400;

/** How many SELECTs one UNION has at most: SQLite allows 500. Lists of `MOST_IDS` are made into a UNION as well. */
export const MOST_UNITED = 400;
