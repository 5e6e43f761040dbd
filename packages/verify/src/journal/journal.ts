import { openSync, writeSync } from 'node:fs';

import { monotonic } from '../timing.js';
import type { JournalEvent } from './journal-entry.js';

/**
 * Records what one process does, one line per event. The operating system has each line before the next action starts,
 * so the journal of a killed process is complete. An action that is recorded only before it may or may not have
 * happened. Nothing is flushed to the disk, so a crash of the machine may lose lines.
 */
export class Journal {
  private readonly file: number;

  /** @param path the file to append to: a process that replaces another continues its journal. */
  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  write(event: JournalEvent): void {
    writeSync(this.file, `${JSON.stringify({ at: monotonic(), ...event })}\n`);
  }
}
