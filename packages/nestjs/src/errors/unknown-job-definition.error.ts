import { TableQueueError } from '@tablequeue/typeorm';

/** A handler names a job whose definition the module was not given. */
export class UnknownJobDefinitionError extends TableQueueError {
  constructor(
    readonly jobName: string,
    source: string,
    /** The names of the definitions the module was given. */
    known: readonly string[],
  ) {
    super(
      `${source} handles the job "${jobName}" by its name, and TableQueueModule has no definition of it. Add it to ` +
        'the option `definitions`, or give @QueueHandler the definition itself. ' +
        (known.length > 0 ? `It has ${known.map((name) => `"${name}"`).join(', ')}.` : 'It has none.'),
    );
  }
}
