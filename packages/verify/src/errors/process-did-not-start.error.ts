import { readFileSync } from 'node:fs';

import { TableQueueError } from '@tablequeue/typeorm';

/** A process of the bench did not begin to work. */
export class ProcessDidNotStartError extends TableQueueError {
  /** @param log where it has written why. */
  constructor(process: string, log: string) {
    super(`${process} did not begin to work: ${lastLine(log)}`);
  }
}

function lastLine(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) || 'it says nothing';
}
