import type { Secrets } from './connection/secrets.js';
import type { ExitCode } from './exit-code.js';
import type { Output } from './terminal/output.js';

/** What commands are given beside their arguments. */
export interface Context {
  readonly output: Output;
  readonly secrets: Secrets;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Paths are relative to it, and drivers are looked for from it. */
  readonly folder: string;
  /** What the process is to end with. */
  exitCode: ExitCode;
}
