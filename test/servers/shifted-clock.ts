import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { CACHE_DIRECTORY } from './cache-directory.js';

const run = promisify(execFile);

/** Beside this file, and beside the source of this file if it was built. */
const SOURCES = ['./shifted-clock.c', '../../servers/shifted-clock.c'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The clock of one server, which can be set while the server runs. */
export interface ShiftedClock {
  /** For the process of the server. */
  readonly environment: Readonly<Record<string, string>>;
  /** @param ms how far the clock is ahead of the machine's. */
  shift(ms: number): Promise<void>;
}

/**
 * Creates a clock for a server.
 *
 * @param folder of the server.
 * @returns undefined where its library cannot be loaded: only on Linux, with a C compiler.
 */
export async function createShiftedClock(folder: string): Promise<ShiftedClock | undefined> {
  const library = await compile();
  if (library === undefined) {
    return undefined;
  }
  const file = join(folder, 'shifted-clock');
  const shift = async (ms: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms));
    // Into the same file: the server has mapped it.
    await writeFile(file, bytes, { flag: existsSync(file) ? 'r+' : 'w' });
  };
  await shift(0);
  return { environment: { LD_PRELOAD: library, SHIFTED_CLOCK: file }, shift };
}

/** @returns the path of the library. */
async function compile(): Promise<string | undefined> {
  const source = SOURCES.find((path) => existsSync(path));
  if (process.platform !== 'linux' || source === undefined) {
    return undefined;
  }
  const hash = createHash('sha256')
    .update(await readFile(source))
    .digest('hex')
    .slice(0, 12);
  const library = join(CACHE_DIRECTORY, `shifted-clock-${hash}.so`);
  if (!existsSync(library)) {
    await mkdir(CACHE_DIRECTORY, { recursive: true });
    const unfinished = `${library}.${process.pid}`;
    try {
      await run('cc', ['-O2', '-shared', '-fPIC', '-o', unfinished, source, '-ldl']);
    } catch {
      return undefined;
    }
    await rename(unfinished, library);
  }
  return library;
}
