import { readFileSync } from 'node:fs';

import { TableQueueError } from '@tablequeue/typeorm';
import { brandError } from '@tablequeue/typeorm/internal';

/** The options of the data source contain a value that cannot be sent to another process, such as a function. */
export class OptionsNotPortableError extends TableQueueError {
  static {
    brandError(this, 'OptionsNotPortableError');
  }

  constructor(cause: unknown) {
    super(
      'The options of the data source contain a function or an object of a class, which cannot be sent to other ' +
        'processes. Give plain options, or a URL.',
      { cause },
    );
  }
}

/** There is no fault with the given name. */
export class UnknownFaultError extends TableQueueError {
  static {
    brandError(this, 'UnknownFaultError');
  }

  constructor(fault: string, known: readonly string[]) {
    super(`There is no fault "${fault}". The faults are: ${known.join(', ')}.`);
  }
}

/** A producer or worker process ended, or did not connect, before the run started. */
export class ProcessDidNotStartError extends TableQueueError {
  static {
    brandError(this, 'ProcessDidNotStartError');
  }

  /** @param log the file with the output of the process. */
  constructor(process: string, log: string) {
    super(`The process ${process} did not start: ${lastLineOf(log)}`);
  }
}

/** The database has not answered a statement of verify itself, although all faults had ended. */
export class NoAnswerError extends TableQueueError {
  static {
    brandError(this, 'NoAnswerError');
  }

  /** @param purpose what the statement was for: `count the jobs`. */
  constructor(purpose: string, milliseconds: number) {
    super(
      `The database did not answer for ${milliseconds / 1000} s when verify tried to ${purpose}. Look for its ` +
        'statement in SHOW PROCESSLIST: it waits for a lock, or the server hangs.',
    );
  }
}

function lastLineOf(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) || 'it printed no error';
}
