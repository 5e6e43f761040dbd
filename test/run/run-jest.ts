import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SERVERS_VARIABLE, type ServersByEngine } from '../servers/engines.js';
import { TALLY_VARIABLE, type Tally } from './tally-reporter.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const NEW_SQLITE = new URL('../../run/new-sqlite.js', import.meta.url).href;

/** How long Jest may take to exit after its last test, in ms. */
const PATIENCE = 30_000;

/** The tally of a run that wrote none. */
const NO_TALLY: Tally = { passed: 0, failed: 1, skipped: 0, failures: [], parts: [], durations: {} };

const KILLED = 137;

/** The outcome of a run of Jest. */
export interface JestRun {
  /** The exit code of Jest; KILLED if it had to be killed. */
  readonly code: number;
  readonly tally: Tally;
  /** Whether a signal ended it. */
  readonly isInterrupted: boolean;
}

/**
 * Runs Jest with these arguments and servers.
 *
 * @param node the Node.js to run it with.
 */
export async function runJest(
  args: readonly string[],
  servers: ServersByEngine,
  node = process.execPath,
): Promise<JestRun> {
  const tallyFile = join(ROOT, `test/dist/tally-${process.pid}.json`);
  const variables = {
    [SERVERS_VARIABLE]: JSON.stringify(servers),
    [TALLY_VARIABLE]: tallyFile,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${NEW_SQLITE}`,
  };
  const jest = spawn(
    node,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--config',
      join(ROOT, 'test/jest.config.js'),
      ...args,
    ],
    // The channel closes when this process ends, and then Jest ends too: see TallyReporter.
    { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, ...variables } },
  );
  let isInterrupted = false;
  const forward = (signal: NodeJS.Signals) => {
    isInterrupted = true;
    jest.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const ended = once(jest, 'exit') as Promise<[number | null]>;
  const isWatching = args.some((argument) => argument.startsWith('--watch'));
  const endCheck = setInterval(() => {
    if (!isWatching && existsSync(tallyFile)) {
      clearInterval(endCheck);
      // All tests have ended and Jest has not: a test left something open.
      setTimeout(() => jest.kill('SIGKILL'), PATIENCE).unref();
    }
  }, 1_000);
  try {
    const [code] = await ended;
    const tally = await readFile(tallyFile, 'utf8').then(
      (text) => JSON.parse(text) as Tally,
      () => NO_TALLY,
    );
    return { code: code ?? KILLED, tally, isInterrupted };
  } finally {
    clearInterval(endCheck);
    process.off('SIGINT', forward).off('SIGTERM', forward);
    await rm(tallyFile, { force: true });
  }
}
