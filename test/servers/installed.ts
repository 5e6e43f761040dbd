import { dirname, join } from 'node:path';

import { type Binaries, findShareDirectory, firstExisting, startServer } from './binaries.js';
import { PROGRAM_VARIABLES } from './environment.js';
import type { ServerEngine, ServerSource } from './server.js';
import { versionOf } from './version-of.js';

/** The versions that the tests pass on, and how the report names them. */
const KNOWN: Record<ServerEngine, { readonly pattern: RegExp; readonly versions: string }> = {
  mariadb: { pattern: /^(10\.11|11|12)\..*MariaDB/, versions: 'MariaDB 10.11, 11 and 12' },
  mysql: { pattern: /^(8\.4|9)\.(?!.*MariaDB)/, versions: 'MySQL 8.4 and 9' },
  mysql56: { pattern: /^5\.6\.(?!.*MariaDB)/, versions: 'MySQL 5.6' },
};

/** A server program that is installed on this machine. The run starts its own instance of it. */
export const installed: ServerSource = {
  name: 'installed',
  async obtain(engine, log, purpose) {
    const binaries = await find(engine, log);
    return binaries && startServer(binaries, purpose);
  },
};

/** A server program at a path that the environment names, whatever its version. */
export function programAt(program: string): ServerSource {
  return {
    name: program,
    obtain: (engine, _log, purpose) => startServer(binariesOf(engine, program), purpose),
  };
}

async function find(engine: ServerEngine, log: (message: string) => void): Promise<Binaries | undefined> {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/usr/local/mysql/bin'];
  const passedOver = new Set<string>();
  for (const folder of folders) {
    const program = firstExisting(join(folder, engine === 'mariadb' ? 'mariadbd' : 'mysqld'));
    const version = program && (await versionOf([program], /Ver (.+)/));
    if (!program || !version) {
      continue;
    }
    if (KNOWN[engine].pattern.test(version)) {
      return binariesOf(engine, program);
    }
    // An installed `mysqld` can be MariaDB, and any MySQL is a candidate for both MySQL engines. This needs no message.
    const isOtherProduct = version.includes('MariaDB') !== (engine === 'mariadb');
    if (!isOtherProduct && engine !== 'mysql56' && !passedOver.has(program)) {
      passedOver.add(program);
      log(
        `${program} is version ${version.split(' ', 1)[0]}. The tests support ${KNOWN[engine].versions}, so they use ` +
          `another server. Set ${PROGRAM_VARIABLES[engine]}=${program} to use it all the same.`,
      );
    }
  }
  return undefined;
}

function binariesOf(engine: ServerEngine, program: string): Binaries {
  const base = dirname(dirname(program));
  const shareDirectory = findShareDirectory(engine, [
    join(base, 'share/mysql'),
    join(base, 'share/mariadb'),
    join(base, 'share'),
  ]);
  return { engine, origin: program, command: [program], fileArguments: [], shareDirectory };
}
