import { TableQueueError } from '@tablequeue/typeorm';

/** Two `@Recurring` have the same name: one would overwrite the other. */
export class DuplicateScheduleError extends TableQueueError {
  constructor(
    /** The name of the schedule. */
    readonly schedule: string,
    places: readonly [string, string],
  ) {
    super(
      `The schedule "${schedule}" is defined by ${places.join(' and by ')}. Give each @Recurring a name of its own.`,
    );
  }
}
