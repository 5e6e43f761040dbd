import { TableQueueError } from '@tablequeue/typeorm';

/** A process is a worker by its role, but the application has no handlers. */
export class NothingToWorkOnError extends TableQueueError {
  constructor(source: string) {
    super(
      `This process is a worker (${source}), but no provider or controller has a @QueueHandler method. ` +
        "Import the modules that have some, or use the role 'producer' or 'all'.",
    );
  }
}
