import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import getPort from 'get-port';

import { obtainPackage } from '../../servers/debian.js';
import { type User, supervise } from '../../servers/supervise.js';
import { versionOf } from '../../servers/version-of.js';
import type { BenchServer } from './bench-server.js';

const run = promisify(execFile);

interface Programs {
  readonly initdb: readonly string[];
  readonly postgres: readonly string[];
  readonly version: string;
}

const WANTED = /\(PostgreSQL\) ((?:1[5-9]|[2-9]\d)\.\d+)/;

/** Durability is as it comes: every commit is flushed to the disk before it is confirmed. */
const SETTINGS = [
  // As much as the MariaDB and MySQL beside it have for their buffer pools.
  'shared_buffers=6GB',
  'max_connections=300',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
];

/** Starts PostgreSQL without any data. */
export async function startPostgres(log: (message: string) => void): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tablequeue-postgres-'));
  try {
    const user = await unprivilegedUser();
    const programs = (await installedPrograms()) ?? (await debianPrograms(folder, user, log));
    const data = join(folder, 'data');
    const port = await getPort({ host: '127.0.0.1' });
    if (user) {
      await run('chown', ['-Rh', `${user.uid}:${user.gid}`, folder]);
    }
    const [initdb = '', ...loading] = programs.initdb;
    const options = ['-D', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    await run(initdb, [...loading, ...options], { ...user, cwd: folder });
    const running = await supervise({
      command: [
        ...programs.postgres,
        '-D',
        data,
        '-p',
        String(port),
        ...SETTINGS.flatMap((setting) => ['-c', setting]),
      ],
      folder,
      // Its immediate shutdown: unlike a killed one, it takes its children and its shared memory with it.
      signal: 'QUIT',
      user,
      probe: () => assertReady(data),
    });
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, version: programs.version, ...running };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** PostgreSQL refuses to run as root. @returns undefined for anybody else. */
async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

async function installedPrograms(): Promise<Programs | undefined> {
  for (const folder of ['/usr/lib/postgresql/15/bin', ...(process.env.PATH ?? '').split(delimiter)]) {
    const initdb = [join(folder, 'initdb')];
    const postgres = [join(folder, 'postgres')];
    const version = await versionOf(postgres, WANTED);
    if (version && (await versionOf(initdb, WANTED))) {
      return { initdb, postgres, version };
    }
  }
  return undefined;
}

async function debianPrograms(
  folder: string,
  user: User | undefined,
  log: (message: string) => void,
): Promise<Programs> {
  const unpacked = await obtainPackage('bookworm', 'postgresql-15', log);
  if (!unpacked) {
    throw new Error("There is no PostgreSQL: none is installed, and Debian's package cannot be had.");
  }
  let { root, launcher } = unpacked;
  if (user) {
    // Root's cache is closed to others.
    root = join(folder, 'root');
    launcher = launcher.map((part) => part.replaceAll(unpacked.root, root));
    await cp(unpacked.root, root, { recursive: true, verbatimSymlinks: true });
  }
  const postgres = [...launcher, join(root, 'usr/lib/postgresql/15/bin/postgres')];
  const version = await versionOf(postgres, WANTED);
  if (!version) {
    throw new Error(`PostgreSQL in ${unpacked.root} does not run. Remove that folder and try again.`);
  }
  return { initdb: await initdbIn(folder, root, launcher), postgres, version };
}

/**
 * initdb calls the `postgres` beside itself, which would not find its libraries. It gets the path of a folder where
 * that is a script, which calls the program properly.
 */
async function initdbIn(folder: string, root: string, launcher: readonly string[]): Promise<string[]> {
  const programs = join(root, 'usr/lib/postgresql/15/bin');
  const scripts = join(folder, 'scripts');
  await mkdir(scripts);
  const call = [...launcher, join(programs, 'postgres')].map((part) => `'${part}'`).join(' ');
  for (const name of ['initdb', 'postgres']) {
    await writeFile(join(scripts, name), `#!/bin/sh\nexec ${call} "$@"\n`, { mode: 0o755 });
  }
  const share = join(root, 'usr/share/postgresql/15');
  return [...launcher, '--argv0', join(scripts, 'initdb'), join(programs, 'initdb'), '-L', share];
}

/** What the server itself notes for its own tools, at the end of a file in its data. */
async function assertReady(data: string): Promise<void> {
  const notes = await readFile(join(data, 'postmaster.pid'), 'utf8');
  const status = notes.split('\n')[7]?.trim();
  if (status !== 'ready') {
    throw new Error(`Its status is "${status}".`);
  }
}
