import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** How much room there has to be, in bytes: all tests together fill 2 GB. */
const ROOM = 6 * 1024 ** 3;

/**
 * A new folder for data that nobody misses when the machine dies: in memory where there is room. On a disk each CREATE TABLE
 * waits for several flushes, of up to a millisecond each.
 */
export function makeDataFolder(prefix: string): Promise<string> {
  return mkdtemp(join(hasRoom() ? MEMORY : tmpdir(), prefix));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM;
  } catch {
    return false;
  }
}
