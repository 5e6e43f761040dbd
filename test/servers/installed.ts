import { delimiter, dirname, join } from 'node:path';

import { type Binaries, findShareDirectory, firstExisting, startServer } from './binaries.js';
import { PROGRAM_VARIABLES } from './environment.js';
import { RELEASES } from './releases.js';
import type { ServerEngine, ServerSource } from './server.js';
import { versionOf } from './version-of.js';

const PROGRAMS: Record<ServerEngine, string> = {
  mariadb: 'mariadbd',
  mariadb118: 'mariadbd',
  mysql: 'mysqld',
  mysql56: 'mysqld',
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
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/usr/local/mysql/bin',
  ];
  const passedOver = new Set<string>();
  for (const folder of folders) {
    const program = firstExisting(join(folder, PROGRAMS[engine]));
    const version = program && (await versionOf([program], /Ver (.+)/));
    if (!program || !version) {
      continue;
    }
    if (RELEASES[engine].pattern.test(version)) {
      return binariesOf(engine, program);
    }
    // An installed `mysqld` can be MariaDB, and any version is a candidate for two engines. This needs no message.
    const isOtherProduct = version.includes('MariaDB') !== (engine === 'mariadb');
    if (!isOtherProduct && ['mariadb', 'mysql'].includes(engine) && !passedOver.has(program)) {
      passedOver.add(program);
      log(
        `${program} is version ${version.split(' ', 1)[0]}. The tests support ${RELEASES[engine].name}, so they use ` +
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
