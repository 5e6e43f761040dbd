import { type Command, InvalidArgumentError } from 'commander';

import type { AnyJobDefinition } from '@tablequeue/typeorm';
import {
  AUDIT_LENGTH,
  LONGEST_TIMER,
  assertStoredJobName,
  isJobId,
  makeJobDefinition,
  toMilliseconds,
} from '@tablequeue/typeorm/internal';

import type { TargetOptions } from '../connection/target.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';

export type AddCommand = (program: Command, context: Context) => void;

export interface CommonOptions extends TargetOptions {
  readonly json?: boolean;
}

/** Adds a command on the tables of a queue. */
export function addDatabaseCommand(program: Command, usage: string, description: string, examples: string[]): Command {
  return addConnectedCommand(program, usage, description, examples).option(
    '--prefix <prefix>',
    'the prefix of the tables (default: that of the data source, or "tq_")',
  );
}

/**
 * Adds a command with the options of every command, and with examples below its help.
 *
 * @param description its first sentence is shown in the list of the commands.
 */
export function addConnectedCommand(program: Command, usage: string, description: string, examples: string[]): Command {
  return program
    .command(usage)
    .summary(description.split('. ', 1)[0]?.replace(/\.$/, '') ?? '')
    .description(description)
    .option('--url <url>', 'mysql://user:password@host/database, mariadb://… or sqlite:./file.sqlite')
    .option('--data-source <file>', 'a module that exports a TypeORM DataSource')
    .option('--json', 'print JSON')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  npx tablequeue ${example}`).join('\n')}`);
}

/**
 * Reads a duration: `30s`, `10m`, `12h`, `30d`. The unit is required, because `--older-than 30` hardly ever means
 * milliseconds.
 */
export function parseDuration(text: string): number {
  return durationIn(text);
}

export function parseInterval(text: string): number {
  return durationIn(text, LONGEST_TIMER);
}

function durationIn(text: string, most?: number): number {
  try {
    return toMilliseconds('duration', (text === '0' ? 0 : text) as number, 0, most);
  } catch {
    throw new InvalidArgumentError('It must be a duration with its unit, such as 30s, 10m, 12h or 30d.');
  }
}

/**
 * Checks all ids before the first job is changed.
 *
 * @throws UsageError
 */
export function assertIds(ids: readonly string[]): void {
  const isId: (id: string) => boolean = isJobId;
  const wrong = ids.find((id) => !isId(id));
  if (wrong !== undefined) {
    throw new UsageError(`${wrongId(wrong, 'a job')} Nothing was changed.`);
  }
}

/**
 * Checks the id of a job that a command shows.
 *
 * @throws UsageError
 */
export function assertId(id: string): void {
  if (!isJobId(id)) {
    throw new UsageError(wrongId(id, 'a job'));
  }
}

/** Returns the message about an id that is none. */
export function wrongId(id: string, owner: string): string {
  return `"${id}" is not the id of ${owner}, which is a UUID.`;
}

/** Reads who acts. Checked here, because a selection without `--yes` does not pass it to the queue. */
export function parseWho(text: string): string {
  if (text === '' || text.length > AUDIT_LENGTH.who) {
    throw new InvalidArgumentError(`It must have 1 to ${AUDIT_LENGTH.who} characters.`);
  }
  return text;
}

/**
 * Returns the definition that selects stored jobs by `--name`, which can also be those of a subscription:
 * `order.paid@mailing`.
 *
 * @throws InvalidNameError
 */
export function onlyOf(name: string | undefined): AnyJobDefinition | undefined {
  if (name === undefined) {
    return undefined;
  }
  assertStoredJobName(name);
  return makeJobDefinition(name, {});
}

/** Reads a whole number. */
export function parseCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}

/** Reads a whole number that may be negative. */
export function parseInteger(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
