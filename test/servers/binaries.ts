import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import getPort, { portNumbers } from 'get-port';

import { makeCertificates } from './certificates.js';
import { makeDataFolder } from './data-folder.js';
import { argumentsFor } from './purpose-arguments.js';
import type { Server, ServerEngine, ServerPurpose } from './server.js';
import { createShiftedClock } from './shifted-clock.js';
import { supervise } from './supervise.js';
import { queryServer } from './wait-until-ready.js';

/** The server program of one engine, and how to call it. */
export interface Binaries {
  readonly engine: ServerEngine;
  readonly origin: string;
  /** The program, after the loader that starts it if it needs one. */
  readonly command: readonly string[];
  /** Arguments that name the program's own files. */
  readonly fileArguments: readonly string[];
  /** The folder of the SQL files for the system tables. Newer MySQL creates these tables without them. */
  readonly shareDirectory: string;
}

const MARIADB_TABLES = ['system_tables.sql', 'performance_tables.sql', 'system_tables_data.sql'];

/** The SQL files that create the system tables, without the prefix `mysql_` or, since MariaDB 11, `mariadb_`. */
const SYSTEM_TABLES: Partial<Record<ServerEngine, readonly string[]>> = {
  mariadb: MARIADB_TABLES,
  mariadb118: MARIADB_TABLES,
  mysql56: ['system_tables.sql', 'system_tables_data.sql'],
};
const PREFIXES = ['mysql_', 'mariadb_'];

const COMMON = ['--bind-address=127.0.0.1', '--max-connections=600', '--innodb-buffer-pool-size=256M'];
/** Arguments for every server of an engine, whatever its purpose. */
export const BY_ENGINE: Record<ServerEngine, readonly string[]> = {
  mariadb: [],
  mariadb118: [],
  mysql: ['--mysqlx=OFF', '--secure-file-priv='],
  mysql56: [],
};
/** Starts a server in a new data folder, on a free port. Both are gone after `stop`. */
export async function startServer(binaries: Binaries, purpose: ServerPurpose): Promise<Server> {
  const { engine, origin, command } = binaries;
  const prefix = `tablequeue-${engine}-`;
  const folder = await (purpose === 'tests' ? makeDataFolder(prefix) : mkdtemp(join(tmpdir(), prefix)));
  const files = filesIn(folder, binaries);
  try {
    await initialize(binaries, folder);
    if (purpose === 'tls') {
      await makeCertificates(folder);
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const port = await portOutsideEphemerals();
  const own = [`--port=${port}`, `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`];
  const url = `mysql://root@127.0.0.1:${port}`;
  const clock = purpose === 'kill' ? await createShiftedClock(folder) : undefined;
  const running = await supervise({
    command: [...command, ...files, ...own, ...COMMON, ...BY_ENGINE[engine], ...argumentsFor(purpose, engine)],
    folder,
    environment: clock?.environment,
    signal: 'KILL',
    probe: () => queryServer(url),
  });
  const ca = purpose === 'tls' ? { ca: await readFile(join(folder, 'ca.pem'), 'utf8') } : {};
  const control = {
    adminUrl: url,
    kill: () => running.kill(),
    start: () => running.start(),
    ...(clock && { shiftClock: (ms: number) => clock.shift(ms) }),
  };
  return { engine, origin, url, processId: running.processId, stop: () => running.stop(), control, ...ca };
}

/**
 * A free port below the range from which the kernel assigns ports. A server takes seconds until it listens, and the
 * other tests ask for assigned ports in the meantime.
 */
function portOutsideEphemerals(): Promise<number> {
  const from = randomInt(10_000, 32_000);
  return getPort({ host: '127.0.0.1', port: portNumbers(from, from + 700) });
}

/** Arguments for the files of a server. Servers that share a folder for temporary tables delete each other's tables. */
function filesIn(folder: string, { fileArguments }: Binaries): string[] {
  return ['--no-defaults', ...fileArguments, `--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`, ...runAsRoot()];
}

/** Servers refuse to run as root without this argument. */
export function runAsRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

/** Creates the data folder of a server, `data` in the given folder. */
export async function initialize(binaries: Binaries, folder: string): Promise<void> {
  const { engine, command, shareDirectory } = binaries;
  const files = filesIn(folder, binaries);
  const systemTables = SYSTEM_TABLES[engine];
  if (!systemTables) {
    await run([...command, ...files, '--initialize-insecure'], '', folder);
    return;
  }
  await mkdir(join(folder, 'data'));
  const sql = ['CREATE DATABASE mysql;\nUSE mysql;\n'];
  for (const name of systemTables) {
    sql.push(await readFile(systemTablesFile(shareDirectory, name) ?? join(shareDirectory, `mysql_${name}`), 'utf8'));
  }
  await run([...command, ...files, '--bootstrap', '--skip-grant-tables'], sql.join('\n'), folder);
}

/** The first folder with the SQL files for the system tables. Empty if the engine needs none. */
export function findShareDirectory(engine: ServerEngine, folders: readonly string[]): string {
  const [name] = SYSTEM_TABLES[engine] ?? [];
  return (name && folders.find((folder) => systemTablesFile(folder, name))) ?? '';
}

function systemTablesFile(folder: string, name: string): string | undefined {
  return firstExisting(...PREFIXES.map((prefix) => join(folder, prefix + name)));
}

/** @returns the output of the program. @throws Error with the output when the program fails. */
export async function run([program = '', ...args]: readonly string[], input: string, cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  // A program that ends early closes its input; its exit code gives the reason.
  await pipeline(Readable.from([input]), child.stdin).catch(() => undefined);
  const [code] = await ended;
  if (code !== 0) {
    throw new Error(`${program} ended with code ${code}:\n${output.slice(-2000)}`);
  }
  return output;
}

/** The first of these paths that exists. */
export function firstExisting(...paths: string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}
