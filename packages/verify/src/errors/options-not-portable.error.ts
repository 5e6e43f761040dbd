import { TableQueueError } from '@tablequeue/typeorm';

/** The options of a data source hold something that cannot be handed to another process, such as a function. */
export class OptionsNotPortableError extends TableQueueError {
  constructor(cause: unknown) {
    super(
      'The options of the data source go to other processes, and hold something that cannot: a function, or an object ' +
        'of a class. Give plain options, or a URL.',
      { cause },
    );
  }
}
