import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a program says its version is, by a pattern's first group. @returns undefined when there is no such program. */
export async function versionOf(command: readonly string[], pattern: RegExp): Promise<string | undefined> {
  const [program = '', ...args] = command;
  const output = await promisify(execFile)(program, [...args, '--version']).catch(() => undefined);
  return output?.stdout.match(pattern)?.[1];
}
