import { openSync, writeSync } from 'node:fs';

import { monotonic } from '../monotonic.js';
import type { Act } from './entries.js';

/**
 * What one process has done, line by line. Every line has reached the system before the next thing is done, so a process
 * that is killed has noted everything it did. What it was about to do it has noted too, and may or may not have done: so
 * a note before an act says that the act may have happened, and only one behind it that it has. The system itself going
 * down is another matter; nothing is flushed to the disk.
 */
export class Journal {
  private readonly file: number;

  /** @param path is appended to: a process that replaces another goes on where that has ended. */
  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  note(act: Act): void {
    writeSync(this.file, `${JSON.stringify({ at: monotonic(), ...act })}\n`);
  }
}
