import { TableQueueError } from '@tablequeue/typeorm';

/** There is no fault of that name. */
export class UnknownFaultError extends TableQueueError {
  constructor(fault: string, known: readonly string[]) {
    super(`There is no fault "${fault}". There are: ${known.join(', ')}.`);
  }
}
