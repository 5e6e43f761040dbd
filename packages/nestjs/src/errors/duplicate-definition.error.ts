import { TableQueueError } from '@tablequeue/typeorm';

/** The option `definitions` has two definitions with the same name. */
export class DuplicateDefinitionError extends TableQueueError {
  constructor(readonly jobName: string) {
    super(`The option "definitions" has two definitions of the job "${jobName}". Keep one of them.`);
  }
}
