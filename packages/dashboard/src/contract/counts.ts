import { BOOLEAN, type Infer, component, described, integer, named, object, oneOf } from './json-schema.js';

export type Count = Infer<typeof Count>;
export const Count = component('Count', {
  count: integer(0),
  isCapped: described(BOOLEAN, 'true if counting stopped early: `count` is a minimum'),
});

export type LiveState = keyof LiveCounts;

export type JobState = Infer<typeof JobState>;
export const JobState = named(
  'JobState',
  oneOf('waiting', 'scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled', 'expired'),
);

const LIVE = { waiting: Count, scheduled: Count, ready: Count, running: Count };

/** Counts of the jobs that have not ended, by state. */
export type LiveCounts = Infer<typeof LiveCounts>;
export const LiveCounts = object(LIVE);

export type KeyedCounts = Infer<typeof KeyedCounts>;
export const KeyedCounts = component('KeyedCounts', {
  ...LIVE,
  succeeded: Count,
  failed: Count,
  cancelled: Count,
  expired: Count,
});
