import { TableQueueError } from '@tablequeue/typeorm';

/** The options of the data source contain a value that cannot be sent to another process, such as a function. */
export class OptionsNotPortableError extends TableQueueError {
  constructor(cause: unknown) {
    super(
      'The options of the data source contain a function or an object of a class, which cannot be sent to other ' +
        'processes. Give plain options, or a URL.',
      { cause },
    );
  }
}
