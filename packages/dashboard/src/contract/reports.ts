import { JobLink, JobRow } from './jobs.js';
import {
  BOOLEAN,
  DURATION,
  type Infer,
  TIME,
  UUID,
  component,
  described,
  integer,
  listOf,
  mapOf,
  nullable,
  object,
  oneOf,
  text,
} from './json-schema.js';

/** What a user may do. A `reader` sees everything and changes nothing. */
export type Role = 'reader' | 'operator';

export type Me = Infer<typeof Me>;
export const Me = component('Me', {
  name: described(nullable(text()), 'the name that the option `who` returned'),
  role: oneOf('reader', 'operator'),
  databases: described(listOf(text()), 'the data sources, for the parameter `database`; the first is the default'),
  version: described(text(), 'of @tablequeue/dashboard'),
  environment: described(nullable(text()), 'the option `environment`'),
  maySetPayloads: described(BOOLEAN, 'whether the user may give jobs a payload: not where payloads are hidden'),
});

export type WorkerRow = Infer<typeof WorkerRow>;
export const WorkerRow = component('WorkerRow', {
  id: text(),
  host: text(),
  pid: integer(0),
  version: described(text(), 'of @tablequeue/typeorm'),
  codeVersion: described(nullable(text()), 'of the application: the option `codeVersion` of the worker'),
  startedAt: TIME,
  seenAt: described(TIME, 'when it last renewed its lease, in ms since 1970'),
  leaseEndsAt: TIME,
  queues: described(listOf(text()), 'up to 20 of its queues, those with another weight than 1 first'),
  queueCount: described(integer(0), 'all of its queues'),
  weights: described(mapOf(integer(1)), 'the weight of each of `queues`: its share of the capacity of the worker'),
  state: described(
    oneOf('working', 'quiet', 'stopping'),
    'at `seenAt`; `quiet`: it claims no jobs, and goes on with those that it has',
  ),
  request: described(
    nullable(object({ action: oneOf('quiet', 'stop'), by: nullable(text()), at: TIME })),
    'what was requested of it; it follows with its next renewal of the lease',
  ),
  memory: described(object({ rss: integer(0), heapUsed: integer(0) }), 'of its process at `seenAt`, in bytes'),
  eventLoopDelay: described(
    object({ p99: integer(0), max: integer(0) }),
    'how late its callbacks were between its last two renewals, in ms',
  ),
  lastBlock: described(
    nullable(object({ reportedAt: TIME, duration: DURATION })),
    'the last block of its event loop of more than a third of the lease, and a second',
  ),
  running: described(listOf(JobRow), 'up to 10 of its running jobs, the longest running first'),
  runningCount: described(integer(0), 'all of its running jobs'),
});

export type WorkerPage = Infer<typeof WorkerPage>;
export const WorkerPage = component('WorkerPage', {
  workers: described(listOf(WorkerRow), 'the oldest first'),
  total: described(integer(0), 'all workers'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});

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

export type SchedulePage = Infer<typeof SchedulePage>;
export const SchedulePage = component('SchedulePage', {
  schedules: described(listOf(ScheduleRow), 'by name'),
  total: described(integer(0), 'all schedules'),
  matching: described(integer(0), 'those whose name contains `contains`'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});

export type DoctorFinding = Infer<typeof DoctorFinding>;
export const DoctorFinding = component('DoctorFinding', {
  check: text(),
  level: described(oneOf('good', 'notice', 'warning', 'problem'), '`notice`: the check could not be made'),
  text: text(),
  advice: described(nullable(text()), 'why it matters and what to change, one per line'),
});

export type DoctorReport = Infer<typeof DoctorReport>;
export const DoctorReport = component('DoctorReport', {
  takenAt: TIME,
  server: described(text(), 'kind and version'),
  findings: listOf(DoctorFinding),
});

export type AuditEntry = Infer<typeof AuditEntry>;
export const AuditEntry = component('AuditEntry', {
  id: UUID,
  at: TIME,
  who: described(nullable(text()), 'the name that the option `who` returned'),
  action: text(),
  target: text(),
  detail: described(nullable(text()), 'in words'),
  outcome: text(),
});

export type AuditPage = Infer<typeof AuditPage>;
export const AuditPage = component('AuditPage', {
  entries: described(listOf(AuditEntry), 'newest first'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});
