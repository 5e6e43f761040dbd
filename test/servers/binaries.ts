import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import getPort from 'get-port';

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
const BY_ENGINE: Record<ServerEngine, readonly string[]> = {
  mariadb: [],
  mysql: ['--mysqlx=OFF', '--secure-file-priv='],
  mysql56: [],
};
/** Starts a server in a new data folder, on a free port. Both are gone after `stop`. */
export async function startServer(binaries: Binaries, purpose: ServerPurpose): Promise<Server> {
  const { engine, origin, command, fileArguments } = binaries;
  const folder = await mkdtemp(join(tmpdir(), `tablequeue-${engine}-`));
  const files = ['--no-defaults', ...fileArguments, `--datadir=${join(folder, 'data')}`, ...runAsRoot()];
  try {
    await initialise(binaries, files, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const port = await getPort({ host: '127.0.0.1' });
  const own = [`--port=${port}`, `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`];
  const url = `mysql://root@127.0.0.1:${port}`;
  const running = await supervise({
    command: [...command, ...files, ...own, ...COMMON, ...BY_ENGINE[engine], ...argumentsFor(purpose, engine)],
    folder,
    signal: 'KILL',
    probe: () => queryServer(url),
  });
  return { engine, origin, url, ...running };
}

function runAsRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

async function initialise(
  { engine, command, shareDirectory }: Binaries,
  files: string[],
  folder: string,
): Promise<void> {
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

async function run([program = '', ...args]: readonly string[], input: string, cwd: string): Promise<void> {
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
}

/** The first of these paths that exists. */
export function firstExisting(...paths: string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}
