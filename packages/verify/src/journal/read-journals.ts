import { closeSync, openSync, readSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { JournalEntry } from './journal-entry.js';

export type RecordedEntry = JournalEntry & { readonly process: string };

export const JOURNAL_EXTENSION = '.journal';

/** How much of a journal is in memory, in bytes. */
const CHUNK = 64 * 1024;

/**
 * Yields the entries of all processes in the order in which they were recorded. Each journal is in that order already,
 * so the files are merged: only a chunk of each is in memory.
 */
export function* readJournals(folder: string): Generator<RecordedEntry, void, undefined> {
  const names = readdirSync(folder).filter((name) => name.endsWith(JOURNAL_EXTENSION));
  const journals = names.map((name) => entriesOf(join(folder, name), name.slice(0, -JOURNAL_EXTENSION.length)));
  const heads = journals.map((journal) => ({ journal, next: journal.next() }));
  try {
    for (;;) {
      let earliest: (typeof heads)[number] | undefined;
      for (const head of heads) {
        if (!head.next.done && (!earliest || head.next.value.at < earliest.next.value!.at)) {
          earliest = head;
        }
      }
      if (!earliest) {
        return;
      }
      yield earliest.next.value as RecordedEntry;
      earliest.next = earliest.journal.next();
    }
  } finally {
    journals.forEach((journal) => journal.return());
  }
}

function* entriesOf(path: string, process: string): Generator<RecordedEntry, void, undefined> {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK);
    // A killed process may leave an incomplete last line. It is never yielded, because no line break follows.
    let incomplete = Buffer.alloc(0);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      const text = Buffer.concat([incomplete, chunk.subarray(0, length)]);
      const end = text.lastIndexOf('\n') + 1;
      incomplete = text.subarray(end);
      for (const line of text.toString('utf8', 0, Math.max(end - 1, 0)).split('\n')) {
        if (line !== '') {
          yield { ...(JSON.parse(line) as JournalEntry), process };
        }
      }
    }
  } finally {
    closeSync(file);
  }
}
