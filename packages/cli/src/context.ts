import type { Secrets } from './connection/secrets.js';
import type { ExitCode } from './exit-code.js';
import type { Output } from './terminal/output.js';

/** What commands work with besides their arguments. */
export interface Context {
  readonly output: Output;
  readonly secrets: Secrets;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths, and the folder to search for drivers. */
  readonly folder: string;
  exitCode: ExitCode;
}
