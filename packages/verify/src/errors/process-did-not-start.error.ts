import { readFileSync } from 'node:fs';

import { TableQueueError } from '@tablequeue/typeorm';

/** A producer or worker process ended, or did not connect, before the run started. */
export class ProcessDidNotStartError extends TableQueueError {
  /** @param log the file with the output of the process. */
  constructor(process: string, log: string) {
    super(`The process ${process} did not start: ${lastLineOf(log)}`);
  }
}

function lastLineOf(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) || 'it printed no error';
}
