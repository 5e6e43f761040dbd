import { TableQueueError } from '@tablequeue/typeorm';

/** The option `definitions` has two of one name: a handler by that name could mean either. */
export class DuplicateDefinitionError extends TableQueueError {
  constructor(readonly jobName: string) {
    super(`The option "definitions" has two definitions of the job "${jobName}". Keep one of them.`);
  }
}
