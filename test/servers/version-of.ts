import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * The version of a program: the first group of the pattern in its output.
 *
 * @returns undefined when there is no such program.
 */
export async function versionOf(command: readonly string[], pattern: RegExp): Promise<string | undefined> {
  const [program = '', ...args] = command;
  const output = await promisify(execFile)(program, [...args, '--version']).catch(() => undefined);
  return output?.stdout.match(pattern)?.[1];
}
