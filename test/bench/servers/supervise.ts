import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { BenchServer } from './bench-server.js';

/** An account that processes can be given. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How one server is run. */
export interface ServerRun {
  /** The program, with its arguments. */
  readonly command: readonly string[];
  /** Where everything it writes lies. It is removed at the end. */
  readonly folder: string;
  /** The signal that ends it at once. */
  readonly signal: 'KILL' | 'QUIT';
  /** Who it runs as, if not as who runs the bench. */
  readonly user?: User | undefined;
  isReady(): Promise<boolean>;
}

const PATIENCE = 60_000;

/**
 * Tells the server's process id, runs the server until the standard input ends, then ends it and removes its folder.
 * The pipe ends with whoever holds it, so neither outlives the bench, however that comes to its end.
 */
const SUPERVISE =
  '"$@" </dev/null 3>&- & server=$!; echo $server >&3; exec 3>&-; cat >/dev/null; ' +
  'kill -s "$SIGNAL" $server; wait $server 2>/dev/null; rm -rf "$FOLDER"';

/** Runs a server and waits until it is ready. */
export async function supervise(run: ServerRun): Promise<Pick<BenchServer, 'processId' | 'stop'>> {
  const logFile = join(run.folder, 'server.log');
  const output = await open(logFile, 'w');
  const supervisor = spawn('sh', ['-c', SUPERVISE, 'sh', ...run.command], {
    ...run.user,
    cwd: run.folder,
    env: { ...process.env, FOLDER: run.folder, SIGNAL: run.signal },
    stdio: ['pipe', output.fd, output.fd, 'pipe'],
    // A process group of its own: an interrupt at the terminal is not sent to the server.
    detached: true,
  });
  await output.close();
  const stop = async () => {
    supervisor.stdin?.end();
    if (supervisor.exitCode === null) {
      await once(supervisor, 'exit');
    }
  };
  try {
    const [line] = (await once(supervisor.stdio[3]!, 'data')) as [Buffer];
    await waitUntil(() => run.isReady(), logFile);
    return { processId: Number(line.toString()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntil(isReady: () => Promise<boolean>, logFile: string): Promise<void> {
  const since = performance.now();
  while (!(await isReady())) {
    if (performance.now() - since > PATIENCE) {
      throw new Error(`The server does not get ready:\n${(await readFile(logFile, 'utf8')).slice(-2000)}`);
    }
    await sleep(20);
  }
}

/** What a program says its version is, by a pattern's first group. @returns undefined when there is no such program. */
export async function versionOf(command: readonly string[], pattern: RegExp): Promise<string | undefined> {
  const [program = '', ...args] = command;
  const output = await promisify(execFile)(program, [...args, '--version']).catch(() => undefined);
  return output?.stdout.match(pattern)?.[1];
}
