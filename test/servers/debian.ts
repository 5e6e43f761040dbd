import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Binaries, firstExisting, startServer } from './binaries.js';
import { CACHE_DIRECTORY } from './cache-directory.js';
import { moveUnlessThere } from './move-unless-there.js';
import type { ServerEngine, ServerSource } from './server.js';

const run = promisify(execFile);

interface ServerPackage {
  readonly suite: string;
  readonly name: string;
  readonly program: string;
}

/** The suite and the package of each server. */
const PACKAGES: Partial<Record<ServerEngine, ServerPackage>> = {
  mariadb: { suite: 'bookworm', name: 'mariadb-server-core', program: 'mariadbd' },
  mariadb118: { suite: 'trixie', name: 'mariadb-server-core', program: 'mariadbd' },
  mysql: { suite: 'sid', name: 'mysql-server-core', program: 'mysqld' },
};

/**
 * Debian's packages, unpacked into a folder with all their dependencies, down to the C library. This installs nothing
 * and needs no root. The suite can be another than that of the machine.
 */
export const debian: ServerSource = {
  name: 'debian',
  async obtain(engine, log, purpose) {
    const binaries = await debianBinaries(engine, log);
    return binaries && startServer(binaries, purpose);
  },
};

/**
 * The server program of an engine.
 *
 * @returns undefined when there is no such package, or no apt with a Debian mirror.
 */
export async function debianBinaries(
  engine: ServerEngine,
  log: (message: string) => void,
): Promise<Binaries | undefined> {
  const wanted = PACKAGES[engine];
  const unpacked = wanted && (await obtainPackage(wanted.suite, wanted.name, log));
  return unpacked && binariesIn(engine, wanted, unpacked);
}

/** A package with all its dependencies, in a folder. */
export interface UnpackedPackage {
  readonly root: string;
  /** The loader that starts a program of the package, with the libraries of the package. */
  readonly launcher: readonly string[];
}

/** Running downloads by folder: two servers of one package can start at the same time. */
const unpacking = new Map<string, Promise<void>>();

/**
 * Downloads a package of a suite, unless an earlier run has done so.
 * @returns undefined when the apt of this machine has no Debian mirror.
 */
export async function obtainPackage(
  suite: string,
  name: string,
  log: (message: string) => void,
): Promise<UnpackedPackage | undefined> {
  const mirror = await findMirror();
  if (!mirror) {
    return undefined;
  }
  const root = join(CACHE_DIRECTORY, `debian-${suite}-${name}`);
  if (!existsSync(root)) {
    log(`downloading ${name} from Debian ${suite} …`);
    const underWay = unpacking.get(root) ?? unpack(suite, name, mirror, root);
    unpacking.set(root, underWay);
    await underWay;
  }
  return { root, launcher: launcherIn(root) };
}

/** The mirror that the apt of this machine uses. */
async function findMirror(): Promise<{ uri: string; keyring: string } | undefined> {
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  try {
    const { stdout } = await run('apt-get', ['indextargets', '--format', '$(LABEL) $(REPO_URI)']);
    const uri = stdout
      .split('\n')
      .find((line) => line.startsWith('Debian '))
      ?.split(' ')[1];
    return uri && existsSync(keyring) ? { uri, keyring } : undefined;
  } catch {
    return undefined;
  }
}

async function unpack(
  suite: string,
  name: string,
  mirror: { uri: string; keyring: string },
  root: string,
): Promise<void> {
  // Renamed at the end, so that an interrupted download does not look like a complete one.
  const work = `${root}.${process.pid}`;
  try {
    const state = join(work, 'apt');
    await mkdir(join(state, 'lists/partial'), { recursive: true });
    await mkdir(join(state, 'archives/partial'), { recursive: true });
    await mkdir(join(work, 'root'));
    // With an empty list of installed packages, apt downloads all dependencies.
    await writeFile(join(state, 'status'), '');
    await writeFile(join(state, 'sources.list'), `deb [signed-by=${mirror.keyring}] ${mirror.uri} ${suite} main\n`);
    const options = [
      `Dir::State=${state}`,
      `Dir::State::lists=${join(state, 'lists')}`,
      `Dir::State::status=${join(state, 'status')}`,
      `Dir::Cache=${state}`,
      `Dir::Cache::archives=${join(state, 'archives')}`,
      `Dir::Etc::sourcelist=${join(state, 'sources.list')}`,
      'Dir::Etc::sourceparts=/dev/null',
      'Dir::Etc::preferencesparts=/dev/null',
      'Acquire::Languages=none',
      'APT::Sandbox::User=',
      'Debug::NoLocking=true',
      'Acquire::Retries=3',
    ].flatMap((option) => ['-o', option]);
    const limits = { maxBuffer: 64 * 1024 * 1024 };
    await run('apt-get', [...options, 'update'], limits);
    await run('apt-get', [...options, 'install', '-y', '--no-install-recommends', '--download-only', name], limits);
    for (const file of await readdir(join(state, 'archives'))) {
      if (file.endsWith('.deb')) {
        await run('dpkg', ['-x', join(state, 'archives', file), join(work, 'root')]);
      }
    }
    await moveUnlessThere(join(work, 'root'), root);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function launcherIn(root: string): string[] {
  const loader = firstExisting(
    join(root, 'usr/lib64/ld-linux-x86-64.so.2'),
    join(root, 'lib64/ld-linux-x86-64.so.2'),
    join(root, 'usr/lib/ld-linux-aarch64.so.1'),
    join(root, 'lib/ld-linux-aarch64.so.1'),
  );
  const machine = loader?.includes('aarch64') ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const libraries = [`lib/${machine}`, `usr/lib/${machine}`].map((folder) => join(root, folder)).join(':');
  if (!loader) {
    throw new Error(`No dynamic loader in ${root}. Remove that folder and try again.`);
  }
  return [loader, '--library-path', libraries];
}

function binariesIn(
  engine: ServerEngine,
  { program, suite }: ServerPackage,
  { root, launcher }: UnpackedPackage,
): Binaries {
  const share = firstExisting(join(root, 'usr/share/mariadb'), join(root, 'usr/share/mysql')) as string;
  return {
    engine,
    origin: `Debian ${suite}`,
    command: [...launcher, join(root, 'usr/sbin', program)],
    fileArguments: [
      `--basedir=${join(root, 'usr')}`,
      `--lc-messages-dir=${share}`,
      `--character-sets-dir=${join(share, 'charsets')}`,
      `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
    ],
    shareDirectory: share,
  };
}
