import type { Dialect } from '../../engine/dialect.js';
import { StatementTooLargeError } from '../../errors/index.js';

/** The most bytes of one statement of many items, even if the server allows more. */
const MOST_BYTES = 6 * 1024 * 1024;
/** The rest of a statement beside its items, at most. */
const REST = 4 * 1024;

/** Returns how many bytes a text takes in a statement, at most or exactly. */
export type Measure = (text: string | null | undefined) => number;

/** A UTF-16 unit takes up to three bytes; one that the driver escapes takes two. */
const upperBound: Measure = (text) => (text ? 3 * text.length : 0);

// eslint-disable-next-line no-control-regex -- the driver escapes some
const ESCAPED = /["'\\\0\b\t\n\r\u001a]/g;

const exactSize: Measure = (text) => (text ? Buffer.byteLength(text.replaceAll(ESCAPED, '\\$&')) : 0);

/** Splits items into chunks of up to `most`. */
export function* chunksOf<Item>(items: readonly Item[], most: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += most) {
    yield items.slice(at, at + most);
  }
}

/**
 * Splits items into chunks for one statement each, which the server accepts: see `Dialect.packetBytes`.
 *
 * @param most how many items a chunk has at most.
 * @param bytesOf how many bytes an item adds to the statement at most, with the texts that it measures.
 * @throws StatementTooLargeError for an item that does not fit alone, when its chunk is reached.
 */
export function* chunksBySize<Item>(
  dialect: Dialect,
  items: readonly Item[],
  most: number,
  bytesOf: (item: Item, measure: Measure) => number,
): Generator<Item[]> {
  const limit = Math.min(MOST_BYTES, dialect.packetBytes - REST);
  let chunk: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item, upperBound);
    if (size > limit) {
      assertFits(dialect, bytesOf(item, exactSize));
    }
    if (chunk.length === most || (chunk.length > 0 && bytes + size > limit)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** Whether an item fits into a statement alone: see `chunksBySize`. */
export function fits({ packetBytes }: Dialect, bytesOf: (measure: Measure) => number): boolean {
  return bytesOf(upperBound) <= packetBytes - REST || bytesOf(exactSize) <= packetBytes - REST;
}

/** How many items of a size one statement can have, up to `most`. */
export function mostThatFit({ packetBytes }: Dialect, most: number, bytesEach: number): number {
  return Math.max(1, Math.min(most, Math.floor((packetBytes - REST) / bytesEach)));
}

/**
 * Checks a statement before it is sent: the server would close the connection.
 *
 * @throws StatementTooLargeError
 */
export function assertTextsFit(dialect: Dialect, texts: readonly (string | null | undefined)[]): void {
  const size = (measure: Measure) => texts.reduce((bytes, text) => bytes + measure(text), 0);
  if (size(upperBound) > dialect.packetBytes - REST) {
    assertFits(dialect, size(exactSize));
  }
}

function assertFits({ packetBytes }: Dialect, bytes: number): void {
  if (bytes > packetBytes - REST) {
    throw new StatementTooLargeError('store a job', undefined, { bytes, limit: packetBytes });
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
const MOST_UNITED = 400;
/** How long one of them is at most, in bytes. */
const SELECT_BYTES = 500;

/** How many SELECTs one UNION can have. */
export function mostUnited(dialect: Dialect): number {
  return mostThatFit(dialect, MOST_UNITED, SELECT_BYTES);
}
