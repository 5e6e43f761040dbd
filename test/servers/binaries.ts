import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import getPort from 'get-port';

import { waitUntilReady } from './wait-until-ready.js';
import type { Server, ServerEngine, ServerPurpose } from './server.js';

/** How the server program of one engine is called. */
export interface Binaries {
  readonly engine: ServerEngine;
  readonly origin: string;
  /** The program, with what has to stand before its own arguments. */
  readonly command: readonly string[];
  /** Arguments that tell it where its files are. */
  readonly fileArguments: readonly string[];
  /** Where MariaDB's SQL for its system tables lies. */
  readonly shareDirectory: string;
}

const COMMON = ['--bind-address=127.0.0.1', '--max-connections=300', '--innodb-buffer-pool-size=256M'];
const BY_ENGINE: Record<ServerEngine, readonly string[]> = {
  mariadb: [],
  mysql: ['--mysqlx=OFF', '--secure-file-priv='],
};
const BY_PURPOSE: Record<ServerPurpose, Record<ServerEngine, readonly string[]>> = {
  tests: {
    mariadb: ['--innodb-flush-log-at-trx-commit=2'],
    mysql: ['--innodb-flush-log-at-trx-commit=2', '--sync-binlog=0'],
  },
  bench: { mariadb: [], mysql: [] },
};

/**
 * Runs the server until its standard input ends, then kills it and removes its folder. The pipe ends with whoever holds
 * it, so neither outlives the test run, however that comes to its end. Nothing in the folder is kept, so there is
 * nothing to shut down in order.
 */
const SUPERVISE =
  '"$@" </dev/null & server=$!; cat >/dev/null; kill -9 $server; wait $server 2>/dev/null; rm -rf "$FOLDER"';

/** Starts a server in a new data folder, on a free port. Both are gone after `stop`. */
export async function startServer(binaries: Binaries, purpose: ServerPurpose): Promise<Server> {
  const { engine, origin, command, fileArguments } = binaries;
  const folder = await mkdtemp(join(tmpdir(), `tablequeue-${engine}-`));
  const logFile = join(folder, 'server.log');
  const files = ['--no-defaults', ...fileArguments, `--datadir=${join(folder, 'data')}`, ...runAsRoot()];
  try {
    await initialise(binaries, files, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const port = await getPort({ host: '127.0.0.1' });
  const own = [`--port=${port}`, `--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`];
  const output = await open(logFile, 'w');
  const supervisor = spawn(
    'sh',
    [
      '-c',
      SUPERVISE,
      'sh',
      ...command,
      ...files,
      ...own,
      ...COMMON,
      ...BY_ENGINE[engine],
      ...BY_PURPOSE[purpose][engine],
    ],
    {
      env: { ...process.env, FOLDER: folder },
      stdio: ['pipe', output.fd, output.fd],
      // A process group of its own: an interrupt at the terminal is not sent to the server.
      detached: true,
    },
  );
  await output.close();
  const stop = async () => {
    supervisor.stdin?.end();
    if (supervisor.exitCode === null) {
      await once(supervisor, 'exit');
    }
  };
  try {
    const url = `mysql://root@127.0.0.1:${port}`;
    await waitUntilReady(url, () => readFile(logFile, 'utf8'));
    const processId = Number(await readFile(join(folder, 'pid'), 'utf8'));
    return { engine, origin, url, processId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function runAsRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

async function initialise(
  { engine, command, shareDirectory }: Binaries,
  files: string[],
  folder: string,
): Promise<void> {
  if (engine === 'mysql') {
    await run([...command, ...files, '--initialize-insecure'], '', folder);
    return;
  }
  await mkdir(join(folder, 'data'));
  const sql = ['CREATE DATABASE mysql;\nUSE mysql;\n'];
  for (const file of ['mysql_system_tables.sql', 'mysql_performance_tables.sql', 'mysql_system_tables_data.sql']) {
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
