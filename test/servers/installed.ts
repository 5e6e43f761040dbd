import { dirname, join } from 'node:path';

import { type Binaries, firstExisting, startServer } from './binaries.js';
import type { ServerEngine, ServerSource } from './server.js';
import { versionOf } from './version-of.js';

/** The versions the tests are written for. */
const WANTED: Record<ServerEngine, RegExp> = {
  mariadb: /Ver (10\.11|11|12)\.[^ ]*MariaDB/,
  mysql: /Ver (8\.4|9)\.(?!.*MariaDB)/,
  mysql56: /Ver 5\.6\.(?!.*MariaDB)/,
};

/** A server program that is installed on this machine; an instance of its own is started. */
export const installed: ServerSource = {
  name: 'installed on this machine',
  async obtain(engine, _log, purpose) {
    const binaries = await find(engine);
    return binaries && startServer(binaries, purpose);
  },
};

async function find(engine: ServerEngine): Promise<Binaries | undefined> {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/usr/local/mysql/bin'];
  for (const folder of folders) {
    const program = firstExisting(join(folder, engine === 'mariadb' ? 'mariadbd' : 'mysqld'));
    if (program && (await versionOf([program], WANTED[engine]))) {
      const base = dirname(dirname(program));
      const shareDirectory = firstExisting(join(base, 'share/mysql'), join(base, 'share/mariadb'), join(base, 'share'));
      return { engine, origin: program, command: [program], fileArguments: [], shareDirectory: shareDirectory ?? '' };
    }
  }
  return undefined;
}
