import { Count } from './counts.js';
import { JobRow } from './jobs.js';
import { type Infer, TIME, component, described, integer, listOf, mapOf, nullable, text } from './json-schema.js';

export type WorkerRow = Infer<typeof WorkerRow>;
export const WorkerRow = component('WorkerRow', {
  id: text(),
  host: text(),
  pid: integer(0),
  version: described(text(), 'of @tablequeue/typeorm'),
  startedAt: TIME,
  seenAt: described(TIME, 'when it last renewed its lease, in ms since 1970'),
  leaseEndsAt: TIME,
  queues: described(nullable(listOf(text())), 'null: all queues'),
  weights: described(mapOf(integer(1)), 'the weight of each queue: its share of the capacity of the worker'),
  running: described(listOf(JobRow), 'some of its running jobs, oldest first'),
  runningCount: Count,
});
