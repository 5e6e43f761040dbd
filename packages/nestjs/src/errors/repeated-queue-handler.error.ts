import { TableQueueError } from '@tablequeue/typeorm';

/** A method has more than one `@QueueHandler`: only one of them would count. */
export class RepeatedQueueHandlerError extends TableQueueError {
  constructor(
    source: string,
    /** The names of the jobs. */
    jobs: readonly [string, string],
  ) {
    super(
      `The method ${source} has @QueueHandler twice, for "${jobs[0]}" and for "${jobs[1]}". ` +
        'A method handles one job: give each a method of its own.',
    );
  }
}
