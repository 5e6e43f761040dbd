import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { waitUntilGone, waitUntilReady } from './wait-until-ready.js';

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
  /** The signal that ends it at once. Nothing in the folder is kept, so there is nothing to shut down in order. */
  readonly signal: 'KILL' | 'QUIT';
  /** Who it runs as, if not as who runs the command. */
  readonly user?: User | undefined;
  /** Rejects while it is not ready. */
  probe(): Promise<unknown>;
}

/** A server that is ready. */
export interface RunningServer {
  /** The server's own process: what else belongs to it are its children. After a `start` it is another one. */
  readonly processId: number;
  /** Ends it at once by SIGKILL, keeping its folder. Resolves when it takes no connections any more. */
  kill(): Promise<void>;
  /** Starts it again after a `kill`, in the same folder. Resolves when it is ready. */
  start(): Promise<void>;
  /** Ends it. Its folder is gone afterwards. */
  stop(): Promise<void>;
}

/**
 * Tells the server's process id, runs the server until the standard input ends, then ends it and removes its folder. With
 * each line of the input the server, which has been killed, is started again. The pipe ends with whoever holds it, so
 * neither outlives the command, however that comes to its end.
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
