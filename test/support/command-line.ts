import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { run } from 'tablequeue';

import type { TestDatabase } from './database.js';

/** The file that `npx tablequeue` runs. */
export const PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/tablequeue.js', import.meta.url));

/** What a run of the command line has left. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** How the command line is run. */
export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** JavaScript that runs before the program. */
  readonly before?: string;
  /** How long it may take, in ms. Default: 30 s. */
  readonly timeout?: number;
  /** Receives its output to standard error, and can send it a signal. */
  readonly onNote?: (text: string, signal: (signal: NodeJS.Signals) => void) => void;
}

/** Runs the command line within this process, which takes a tenth of the time that one of its own does. */
export async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder = process.cwd(),
): Promise<CommandResult> {
  const result = { code: 0, out: '', err: '' };
  result.code = await run(args, {
    stdout: { write: (text) => (result.out += text) },
    stderr: { write: (text) => (result.err += text) },
    environment,
    folder,
  });
  return result;
}

/** Runs the built command line in a process of its own, with none of the variables that name a database. */
export function tablequeue(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { environment = {}, folder, before, timeout = 30_000, onNote } = options;
  const { TABLEQUEUE_URL: _url, DATABASE_URL: _other, ...inherited } = process.env;
  const preload = before === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(before)}`];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...preload, PROGRAM, ...args],
      { env: { ...inherited, ...environment }, cwd: folder, timeout },
      (error, out, err) => resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
    child.stderr?.on('data', (text: string) => onNote?.(text, (signal) => child.kill(signal)));
  });
}

/** The URL by which the command line knows a database. */
export function commandUrl({ engine, url }: TestDatabase): string {
  if (engine === 'sqlite') {
    return `sqlite:${url}`;
  }
  return engine.startsWith('mariadb') ? url.replace(/^mysql:/, 'mariadb:') : url;
}
