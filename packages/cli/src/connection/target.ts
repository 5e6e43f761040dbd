import type { DataSourceOptions } from 'typeorm';

import type { Context } from '../context.js';
import { UsageError } from '../errors/index.js';
import { targetOfFile } from './data-source-file.js';
import { targetOfUrl } from './database-url.js';

/** The options of every command that say which database is meant. */
export interface TargetOptions {
  readonly url?: string;
  readonly dataSource?: string;
  readonly prefix?: string;
}

/** A database to work on. */
export interface Target {
  /** How to connect, with the driver. */
  readonly options: DataSourceOptions;
  /** Names it in what is printed: without the password. */
  readonly name: string;
  /** The prefix of the tables, where that is known. */
  readonly prefix: string | undefined;
  /** Whether it is a file that does not exist. */
  readonly isAbsent?: boolean;
  /** Closes what the module with the data source has opened. */
  release(): Promise<void>;
}

/** The environment variables that hold a URL, the first wins. */
const VARIABLES = ['TABLEQUEUE_URL', 'DATABASE_URL'];

/**
 * Finds out which database is meant.
 *
 * @throws UsageError, MissingDriverError
 */
export async function findTarget({ url, dataSource }: TargetOptions, context: Context): Promise<Target> {
  if (url !== undefined && dataSource !== undefined) {
    throw new UsageError('Give --url or --data-source, not both.');
  }
  if (url !== undefined) {
    return targetOfUrl(url, '--url', context);
  }
  if (dataSource !== undefined) {
    return targetOfFile(dataSource, context);
  }
  const variable = VARIABLES.find((name) => context.environment[name]);
  if (!variable) {
    throw new UsageError(`Which database? Give --url or --data-source, or set ${VARIABLES.join(' or ')}.`);
  }
  return targetOfUrl(context.environment[variable] ?? '', variable, context);
}
