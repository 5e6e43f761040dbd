import { type Command, InvalidArgumentError } from 'commander';

import { toMilliseconds } from '@tablequeue/typeorm/internal';

import type { TargetOptions } from '../connection/target.js';
import type { Context } from '../context.js';

/** Adds a command to the program. */
export type AddCommand = (program: Command, context: Context) => void;

/** The options that all commands have. */
export interface CommonOptions extends TargetOptions {
  readonly json?: boolean;
}

/**
 * A command with the options that all have, and examples below its help.
 *
 * @param description the first sentence stands for it in the list of the commands.
 */
export function addDatabaseCommand(program: Command, usage: string, description: string, examples: string[]): Command {
  return program
    .command(usage)
    .summary(description.split('. ', 1)[0]?.replace(/\.$/, '') ?? '')
    .description(description)
    .option('--url <url>', 'mysql://user:password@host/database, mariadb://… or sqlite:./file.sqlite')
    .option('--data-source <file>', 'a module that exports a TypeORM DataSource')
    .option('--prefix <prefix>', 'what the names of the tables begin with (default: "tq_")')
    .option('--json', 'print JSON')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  npx tablequeue ${example}`).join('\n')}`);
}

/** Reads a duration: `30s`, `10m`, `12h`, `30d`, or ms. */
export function parseDuration(text: string): number {
  try {
    return toMilliseconds('duration', (/^\d+$/.test(text) ? Number(text) : text) as number);
  } catch {
    throw new InvalidArgumentError('It must be a duration, such as 30s, 10m, 12h or 30d.');
  }
}

/** Reads a whole number. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
