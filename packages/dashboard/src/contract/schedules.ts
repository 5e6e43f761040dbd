import { type Infer, TIME, component, described, listOf, nullable, text } from './json-schema.js';
import { JobLink } from './jobs.js';

export type ScheduleRow = Infer<typeof ScheduleRow>;
export const ScheduleRow = component('ScheduleRow', {
  name: text(),
  job: described(text(), 'the name of its jobs'),
  queue: text(),
  pattern: described(text(), 'a cron expression, or an interval such as `every 15m`'),
  timeZone: described(nullable(text()), 'null for an interval'),
  nextAt: nullable(TIME),
  upcoming: described(listOf(TIME), 'the next ticks, starting with `nextAt`'),
  lastAt: nullable(TIME),
  lastJob: described(nullable(JobLink), 'null before the first tick, and after the job was pruned'),
  pausedAt: nullable(TIME),
});
