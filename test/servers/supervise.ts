import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { waitUntilGone, waitUntilReady } from './wait-until-ready.js';

/** An account for processes. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** How to run a server. */
export interface ServerRun {
  /** The program, with its arguments. */
  readonly command: readonly string[];
  /** The folder for all its files. It is removed at the end. */
  readonly folder: string;
  /** More variables for its environment. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** The signal that ends it at once. An orderly shutdown is not needed, because the folder is removed. */
  readonly signal: 'KILL' | 'QUIT';
  /** The account that it runs as, if it is not the current one. */
  readonly user?: User | undefined;
  /** Rejects while it is not ready. */
  probe(): Promise<unknown>;
}

/** A server that is ready. */
export interface RunningServer {
  /** The process of the server. It is another one after each `start`. */
  readonly processId: number;
  /** Ends it by SIGKILL and keeps its folder. Resolves when it accepts no more connections. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, in the same folder. Resolves when it is ready. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Runs the server until the standard input ends, then ends it and removes its folder. It writes the process id of each
 * start to file descriptor 3. Each line of the input starts the server again after a kill. The pipe closes when the
 * test command ends for any reason, so the server never outlives it.
 */
const SUPERVISE =
  'start() { "$@" </dev/null 3>&- & server=$!; echo $server >&3; }; start "$@"; ' +
  'while read -r again; do wait $server 2>/dev/null; start "$@"; done; ' +
  'kill -s "$SIGNAL" $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$FOLDER"';

/** Runs a server and waits until it is ready. */
export async function supervise(run: ServerRun): Promise<RunningServer> {
  const logFile = join(run.folder, 'server.log');
  const output = await open(logFile, 'w');
  const supervisor = spawn('sh', ['-c', SUPERVISE, 'sh', ...run.command], {
    ...run.user,
    cwd: run.folder,
    env: { ...process.env, ...run.environment, FOLDER: run.folder, SIGNAL: run.signal },
    stdio: ['pipe', output.fd, output.fd, 'pipe'],
    // In its own process group it does not get an interrupt from the terminal.
    detached: true,
  });
  await output.close();
  const stop = async () => {
    supervisor.stdin?.end();
    if (supervisor.exitCode === null) {
      await once(supervisor, 'exit');
    }
  };
  let processId = 0;
  const untilReady = async () => {
    const [line] = (await once(supervisor.stdio[3]!, 'data')) as [Buffer];
    processId = Number(line.toString());
    await waitUntilReady(
      () => run.probe(),
      () => readFile(logFile, 'utf8'),
    );
  };
  try {
    await untilReady();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get processId() {
      return processId;
    },
    stop,
    kill: async () => {
      process.kill(processId, 'SIGKILL');
      // Its sockets close with it.
      await waitUntilGone(() => run.probe());
    },
    start: async () => {
      const ready = untilReady();
      supervisor.stdin!.write('start\n');
      await ready;
    },
  };
}
