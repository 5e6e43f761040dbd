import { readFileSync } from 'node:fs';

/** A process of the bench did not begin to work. */
export class ProcessDidNotStartError extends Error {
  override readonly name = 'ProcessDidNotStartError';

  /** @param log where it has written why. */
  constructor(process: string, log: string) {
    super(`${process} did not begin to work: ${lastLine(log)}`);
  }
}

function lastLine(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) || 'it says nothing';
}
