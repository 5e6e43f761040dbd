import {
  BOOLEAN,
  type Infer,
  TIME,
  UUID,
  component,
  described,
  integer,
  listOf,
  nullable,
  text,
} from './json-schema.js';

export type FailedError = Infer<typeof FailedError>;
export const FailedError = component('FailedError', {
  fingerprint: described(text(), 'the `fingerprint` of a filter of jobs'),
  title: described(text(), 'the name and the first line of the message, with placeholders'),
  count: described(integer(1), 'examined jobs'),
  firstAt: TIME,
  lastAt: TIME,
  queues: listOf(text()),
  names: described(listOf(text()), 'of the definitions'),
  exampleId: described(UUID, 'the job that failed last'),
});

export type FailedErrors = Infer<typeof FailedErrors>;
export const FailedErrors = component('FailedErrors', {
  errors: described(listOf(FailedError), 'the most frequent first'),
  examined: described(integer(0), 'failed jobs, the latest failure first'),
  isComplete: described(BOOLEAN, 'true if these are all failed jobs'),
  since: described(nullable(TIME), 'when the first examined job failed'),
  omitted: described(integer(0), 'jobs with errors beyond the limit'),
  encoded: described(integer(0), 'jobs whose error a codec has encoded; no error in the list counts them'),
});
