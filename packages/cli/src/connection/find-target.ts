import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { targetOfFile } from './data-source-file.js';
import { targetOfUrl } from './database-url.js';
import type { Target, TargetOptions } from './target.js';

/** The environment variables with a URL. The first that is set counts. */
const VARIABLES = ['TABLEQUEUE_URL', 'DATABASE_URL'];

/**
 * Returns the database that the options or the environment select.
 *
 * @throws UsageError if none or several are given, MissingDriverError if its driver is not installed.
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
