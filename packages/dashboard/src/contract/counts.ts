import {
  BOOLEAN,
  type Infer,
  NUMBER,
  TIME,
  component,
  described,
  integer,
  named,
  nullable,
  oneOf,
} from './json-schema.js';

export type Count = Infer<typeof Count>;
export const Count = component('Count', {
  count: integer(0),
  isCapped: described(BOOLEAN, 'true if counting stopped early: `count` is a minimum'),
});

export type JobState = Infer<typeof JobState>;
export const JobState = named(
  'JobState',
  oneOf('waiting', 'scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled', 'expired'),
);

export type Total = Infer<typeof Total>;
export const Total = component('Total', {
  count: integer(0),
  isCapped: described(BOOLEAN, 'true while they are counted for the first time: `count` is a minimum'),
  isEstimate: described(BOOLEAN, 'true if it was counted in the background, while jobs moved on'),
  countedAt: described(TIME, 'when it was counted; of a sum, when the oldest part was'),
  perMinute: described(nullable(NUMBER), 'the change in a minute over up to five minutes; null if not known yet'),
});

/** A property for each state. */
const byState = <S>(each: S) => ({
  waiting: each,
  scheduled: each,
  ready: each,
  running: each,
  succeeded: each,
  failed: each,
  cancelled: each,
  expired: each,
});

/** The totals of the jobs by state, however many there are. */
export type Totals = Infer<typeof Totals>;
export const Totals = component('Totals', byState(Total));

export type KeyedCounts = Infer<typeof KeyedCounts>;
export const KeyedCounts = component('KeyedCounts', byState(Count));
