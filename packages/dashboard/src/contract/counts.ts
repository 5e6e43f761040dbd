import { BOOLEAN, type Infer, component, described, integer, object, oneOf } from './json-schema.js';

export type Count = Infer<typeof Count>;
export const Count = component(
  'Count',
  object({ count: integer(0), isCapped: described(BOOLEAN, 'true if counting stopped early: `count` is a minimum') }),
);

export type LiveState = keyof LiveCounts;

export type JobState = Infer<typeof JobState>;
export const JobState = component(
  'JobState',
  oneOf('waiting', 'scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled'),
);

/** Counts of the jobs that have not ended, by state. */
export type LiveCounts = Infer<typeof LiveCounts>;
export const LiveCounts = object({ waiting: Count, scheduled: Count, ready: Count, running: Count });

export type KeyedCounts = Infer<typeof KeyedCounts>;
export const KeyedCounts = component(
  'KeyedCounts',
  object({
    waiting: Count,
    scheduled: Count,
    ready: Count,
    running: Count,
    succeeded: Count,
    failed: Count,
    cancelled: Count,
  }),
);
