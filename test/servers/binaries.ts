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
import { supervise } from './supervise.js';
import { queryServer } from './wait-until-ready.js';

/** How the server program of one engine is called. */
export interface Binaries {
  readonly engine: ServerEngine;
  readonly origin: string;
  /** The program, with what has to stand before its own arguments. */
  readonly command: readonly string[];
  /** Arguments that tell it where its files are. */
  readonly fileArguments: readonly string[];
  /** Where the SQL for the system tables lies, of servers that do not make them by themselves. */
  readonly shareDirectory: string;
}

/** That SQL; of the others there is none. */
const SYSTEM_TABLES: Partial<Record<ServerEngine, readonly string[]>> = {
  mariadb: ['mysql_system_tables.sql', 'mysql_performance_tables.sql', 'mysql_system_tables_data.sql'],
  mysql56: ['mysql_system_tables.sql', 'mysql_system_tables_data.sql'],
};

const COMMON = ['--bind-address=127.0.0.1', '--max-connections=300', '--innodb-buffer-pool-size=256M'];
/** What servers of an engine are started with, whatever they are for. */
export const BY_ENGINE: Record<ServerEngine, readonly string[]> = {
  mariadb: [],
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
    await initialise(binaries, folder);
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
  const running = await supervise({
    command: [...command, ...files, ...own, ...COMMON, ...BY_ENGINE[engine], ...argumentsFor(purpose, engine)],
    folder,
    signal: 'KILL',
    probe: () => queryServer(url),
  });
  const ca = purpose === 'tls' ? { ca: await readFile(join(folder, 'ca.pem'), 'utf8') } : {};
  const control = { adminUrl: url, kill: () => running.kill(), start: () => running.start() };
  return { engine, origin, url, processId: running.processId, stop: () => running.stop(), control, ...ca };
}

/**
 * A free port that the kernel gives nobody who asks for any: a server takes seconds until it listens, and everything else
 * that tests start is given one meanwhile.
 */
function portOutsideEphemerals(): Promise<number> {
  const from = randomInt(10_000, 32_000);
  return getPort({ host: '127.0.0.1', port: portNumbers(from, from + 700) });
}

/** Where a server has its files. Servers that share a folder for temporary tables delete one another's. */
function filesIn(folder: string, { fileArguments }: Binaries): string[] {
  return ['--no-defaults', ...fileArguments, `--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`, ...runAsRoot()];
}

/** Servers refuse to be run by root unless they are told. */
export function runAsRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

/** Makes the data folder of a server, `data` in a folder. */
export async function initialise(binaries: Binaries, folder: string): Promise<void> {
  const { engine, command, shareDirectory } = binaries;
  const files = filesIn(folder, binaries);
  const systemTables = SYSTEM_TABLES[engine];
  if (!systemTables) {
    await run([...command, ...files, '--initialize-insecure'], '', folder);
    return;
  }
  await mkdir(join(folder, 'data'));
  const sql = ['CREATE DATABASE mysql;\nUSE mysql;\n'];
  for (const file of systemTables) {
    sql.push(await readFile(join(shareDirectory, file), 'utf8'));
  }
  await run([...command, ...files, '--bootstrap', '--skip-grant-tables'], sql.join('\n'), folder);
}

/** @returns what it has printed. @throws when it ends with an error. */
export async function run([program = '', ...args]: readonly string[], input: string, cwd: string): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  // A program that ends early closes its input; its exit code says why.
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
