import { readFile } from 'node:fs/promises';

import { Command, CommanderError } from 'commander';

import { COMMANDS } from './commands/index.js';
import { Secrets } from './connection/secrets.js';
import type { Context } from './context.js';
import { UsageError } from './errors/index.js';
import { ExitCode } from './exit-code.js';
import { Output, type OutputStream } from './terminal/output.js';

const HELP = `
Connection: --url, or --data-source, or the environment variables TABLEQUEUE_URL and DATABASE_URL, in this order.

Exit codes: 0 done, 1 an error or what doctor or verify has found, 2 wrong usage.

Examples:
  npx tablequeue migrate --dry-run
  npx tablequeue stats --url sqlite:./shop.sqlite
  npx tablequeue doctor --data-source ./dist/data-source.js`;

/** Where a command runs. */
export interface Surroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Paths are relative to it, and drivers are looked for from it. */
  readonly folder: string;
}

/**
 * Runs one command of the command line, without a process of its own.
 *
 * @param args the arguments behind the program's name.
 * @param surroundings Default: those of this process.
 * @returns the exit code. It throws nothing: errors are printed.
 */
export async function run(args: readonly string[], surroundings: Partial<Surroundings> = {}): Promise<ExitCode> {
  const {
    stdout = process.stdout,
    stderr = process.stderr,
    environment = process.env,
    folder = process.cwd(),
  } = surroundings;
  const secrets = new Secrets();
  // What is wrong with the arguments is printed with them.
  args.forEach((argument) => secrets.addAllOf(argument));
  const output = new Output(stdout, stderr, environment, (text) => secrets.hide(text));
  const context: Context = { output, secrets, environment, folder, exitCode: ExitCode.done };
  try {
    const program = await createProgram(context);
    await program.parseAsync(args, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return report(error, output, args.includes('--debug'));
  }
}

async function createProgram(context: Context): Promise<Command> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  const program = new Command('tablequeue')
    .description('Looks after the tables of a Tablequeue job queue, and the jobs in them.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.output.print(text.replace(/\n$/, '')),
      writeErr: (text) => context.output.note(text.replace(/\n$/, '').replace(/^error: /, 'tablequeue: ')),
    })
    .showSuggestionAfterError()
    .addHelpText('after', HELP);
  for (const addCommand of COMMANDS) {
    addCommand(program, context);
  }
  return program;
}

/** One readable line. The stack only where it was asked for. */
function report(error: unknown, output: Output, withStack: boolean): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has printed it: help and version, which are no errors, or what is wrong with the arguments.
    return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  }
  output.error(withStack ? stacksOf(error) : (messageOf(error).split('\n', 1)[0] ?? ''));
  return error instanceof UsageError ? ExitCode.usage : ExitCode.failed;
}

/** Node wraps refused connections to several addresses in an error without a message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Not `inspect`: errors of drivers carry statements with their values, and options with passwords. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const cause = error.cause === undefined ? '' : `\n  caused by ${stacksOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
