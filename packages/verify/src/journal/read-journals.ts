import { closeSync, openSync, readSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Entry } from './entries.js';

/** An entry, and the process that has written it. */
export type Noted = Entry & { readonly process: string };

/** The end of the names of journals. */
export const JOURNAL = '.journal';

/** How much of a journal is in memory, in bytes. */
const PART = 64 * 1024;

/**
 * All that the processes have noted, in the order in which it happened. Each has noted it in that order, so the next entry
 * is the earliest of those that come next in any journal: a part of each is all that is in memory.
 */
export function* readJournals(folder: string): Generator<Noted, void, undefined> {
  const names = readdirSync(folder).filter((name) => name.endsWith(JOURNAL));
  const journals = names.map((name) => entriesOf(join(folder, name), name.slice(0, -JOURNAL.length)));
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
      yield earliest.next.value as Noted;
      earliest.next = earliest.journal.next();
    }
  } finally {
    journals.forEach((journal) => journal.return());
  }
}

function* entriesOf(path: string, process: string): Generator<Noted, void, undefined> {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.alloc(PART);
    // A process that is killed may leave the beginning of a line, behind which there is no line break.
    let begun = Buffer.alloc(0);
    for (let length = readSync(file, part); length > 0; length = readSync(file, part)) {
      const text = Buffer.concat([begun, part.subarray(0, length)]);
      const end = text.lastIndexOf('\n') + 1;
      begun = text.subarray(end);
      for (const line of text.toString('utf8', 0, Math.max(end - 1, 0)).split('\n')) {
        if (line !== '') {
          yield { ...(JSON.parse(line) as Entry), process };
        }
      }
    }
  } finally {
    closeSync(file);
  }
}
