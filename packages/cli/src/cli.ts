import { readFile } from 'node:fs/promises';

import { InvalidNameError, InvalidOptionError, UnknownOptionError } from '@tablequeue/typeorm';
import { Command, CommanderError } from 'commander';

import { COMMANDS } from './commands/index.js';
import { Secrets } from './connection/secrets.js';
import type { Context } from './context.js';
import { UsageError } from './errors.js';
import { ExitCode } from './exit-code.js';
import { Output, type OutputStream } from './terminal/output.js';

const HELP = `
Connection: --url, --data-source, TABLEQUEUE_URL or DATABASE_URL. The first that is given counts.

Exit codes: 0 success, 1 an error, or status, doctor or verify found a problem, 2 wrong usage.

Examples:
  npx tablequeue migrate --dry-run
  npx tablequeue status
  npx tablequeue stats --url sqlite:./shop.sqlite
  npx tablequeue doctor --data-source ./dist/data-source.js`;

/** The environment of a command. */
export interface Surroundings {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths, and the folder to search for drivers. */
  readonly folder: string;
}

/**
 * Runs one command in this process.
 *
 * @param args the arguments after the name of the program.
 * @param surroundings default: those of this process.
 * @returns the exit code. It never throws: errors are printed.
 */
export async function run(args: readonly string[], surroundings: Partial<Surroundings> = {}): Promise<ExitCode> {
  const {
    stdout = process.stdout,
    stderr = process.stderr,
    environment = process.env,
    folder = process.cwd(),
  } = surroundings;
  const secrets = new Secrets();
  // An error in the arguments is printed together with them.
  args.forEach((argument) => secrets.addFromUrlsIn(argument));
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
    .description('Manages the tables of a Tablequeue job queue, and the jobs in them.')
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

/** Prints an error on one line, or with its stack if `--debug` is given. */
function report(error: unknown, output: Output, withStack: boolean): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has printed the help or the version, which are no errors, or an error in the arguments.
    return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
  }
  output.error(withStack ? stacksOf(error) : (messageOf(error).split('\n', 1)[0] ?? ''));
  return USAGE_ERRORS.some((each) => error instanceof each) ? ExitCode.usage : ExitCode.failed;
}

/** The queue checks most values of the arguments, and refuses them before it changes anything. */
const USAGE_ERRORS = [UsageError, InvalidOptionError, InvalidNameError, UnknownOptionError];

/** If a host has several addresses, Node throws an error without a message that contains one error for each. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Not `inspect`: errors of drivers contain statements with their values, and options with passwords. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const cause = error.cause === undefined ? '' : `\n  caused by ${stacksOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
