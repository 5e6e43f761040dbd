import { TableQueueError } from '@tablequeue/typeorm';

/** `TableQueueModule` stands in an application twice: both would claim jobs for the same handlers. */
export class DuplicateModuleError extends TableQueueError {
  constructor() {
    super('TableQueueModule is imported more than once. Import it once, in the root module; it is global.');
  }
}
