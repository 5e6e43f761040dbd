import {
  DURATION,
  type Infer,
  TIME,
  component,
  described,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
} from './json-schema.js';

const perBucket = (description: string) => described(nullable(DURATION), `${description}, in ms; null without jobs`);

export type SeriesPoint = Infer<typeof SeriesPoint>;
export const SeriesPoint = component(
  'SeriesPoint',
  object({
    at: described(TIME, 'the start of the bucket, in ms since 1970'),
    succeeded: integer(0),
    failed: integer(0),
    retried: integer(0),
    latencyMean: perBucket('from due to started, on average'),
    latencyMax: perBucket('from due to started, at most'),
    runMean: perBucket('from started to ended, on average'),
  }),
);

export type Series = Infer<typeof Series>;
export const Series = component(
  'Series',
  object({
    span: described(oneOf('hour', 'day'), '`hour`: 60 buckets of 1 min; `day`: 96 buckets of 15 min'),
    bucket: described(DURATION, 'the length of a bucket, in ms'),
    takenAt: TIME,
    points: described(listOf(SeriesPoint), 'oldest first'),
  }),
);
