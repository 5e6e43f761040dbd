import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder for files in memory on Linux. */
const MEMORY = '/dev/shm';
/** The free space that it must have, in bytes. All tests together use 2 GB. */
const SPACE = 6 * 1024 ** 3;

/**
 * A new folder for data that may be lost with the machine: in memory if there is enough space. On a disk each CREATE
 * TABLE waits for several flushes, of up to a millisecond each.
 */
export function makeDataFolder(prefix: string): Promise<string> {
  return mkdtemp(join(hasSpace() ? MEMORY : tmpdir(), prefix));
}

function hasSpace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > SPACE;
  } catch {
    return false;
  }
}
