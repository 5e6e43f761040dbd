import { TableQueueError } from '@tablequeue/typeorm';

/** There is no fault with the given name. */
export class UnknownFaultError extends TableQueueError {
  constructor(fault: string, known: readonly string[]) {
    super(`There is no fault "${fault}". The faults are: ${known.join(', ')}.`);
  }
}
