import {
  BOOLEAN,
  FINGERPRINT,
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
  fingerprint: described(FINGERPRINT, 'the `fingerprint` of a filter of jobs'),
  title: described(text(), 'the name and the first line of the message, with placeholders'),
  count: described(integer(1), 'examined jobs'),
  firstAt: TIME,
  lastAt: TIME,
  queues: listOf(text()),
  names: described(listOf(text()), 'of the definitions'),
  payloadVersions: described(listOf(integer(0)), 'of the definitions when the jobs were enqueued, lowest first'),
  exampleId: described(UUID, 'the job that failed last'),
  mutedUntil: described(nullable(TIME), 'when its mute ends; null if it is not muted'),
});

export type FailedErrors = Infer<typeof FailedErrors>;
export const FailedErrors = component('FailedErrors', {
  errors: described(listOf(FailedError), 'the most frequent first, muted ones last'),
  examined: described(integer(0), 'failed jobs, the latest failure first'),
  isComplete: described(BOOLEAN, 'true if these are all failed jobs'),
  since: described(nullable(TIME), 'when the first examined job failed'),
  omitted: described(integer(0), 'jobs with errors beyond the limit'),
  encoded: described(integer(0), 'jobs whose error a codec has encoded; no error in the list counts them'),
});

export type MuteRequest = Infer<typeof MuteRequest>;
export const MuteRequest = component('MuteRequest', {
  duration: described(text(16), 'such as `30m`, `8h` or `7d`; 1 s to 90 days'),
});

export type ErrorMute = Infer<typeof ErrorMute>;
export const ErrorMute = component('ErrorMute', {
  fingerprint: FINGERPRINT,
  mutedUntil: described(nullable(TIME), 'when the mute ends; null if the error is not muted'),
});
