import { BulkAction, JobAction, ManualAction } from './actions.js';
import { JobState, KeyedCounts } from './counts.js';
import {
  ANYTHING,
  BOOLEAN,
  FINGERPRINT,
  type Infer,
  NUMBER,
  TIME,
  UUID,
  component,
  described,
  integer,
  listOf,
  named,
  nullable,
  object,
  oneOf,
  text,
} from './json-schema.js';

const JOB = {
  id: UUID,
  queue: text(),
  name: text(),
  state: JobState,
  key: nullable(text()),
  tenant: nullable(text()),
  priority: integer(Number.MIN_SAFE_INTEGER),
  attempt: integer(0),
  failures: integer(0),
  createdAt: TIME,
  runAt: TIME,
  expiresAt: described(nullable(TIME), 'when it expires unless it starts, or has expired'),
  startedAt: nullable(TIME),
  finishedAt: nullable(TIME),
  error: described(nullable(text()), 'the first line of the last error'),
  progress: described(nullable(NUMBER), '0 to 1, if the handler reports such a number'),
};

/** The properties of a filter of jobs, which are query parameters too. */
export const FILTER = {
  required: { state: JobState },
  optional: {
    queue: text(64),
    name: described(text(128), 'of the definition'),
    key: text(191),
    tenant: text(191),
    error: described(text(1_000), 'a text in the last error'),
    fingerprint: described(FINGERPRINT, 'of the last error: see `jobs/failures`'),
    from: described(
      integer(0),
      'in ms since 1970, inclusive: when live jobs were or will be due, and when finished jobs ended',
    ),
    to: described(integer(0), 'in ms since 1970, exclusive'),
  },
};

export type JobRow = Infer<typeof JobRow>;
export const JobRow = component('JobRow', JOB);

export type JobPage = Infer<typeof JobPage>;
export const JobPage = component('JobPage', {
  jobs: listOf(JobRow),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
  takenAt: TIME,
  isPartial: described(
    BOOLEAN,
    'true if the search stopped at its limit before the page was full; `next` continues it',
  ),
  actions: described(listOf(BulkAction), 'the bulk actions that the state and the role of the user allow'),
});

export type FoundJobRow = Infer<typeof FoundJobRow>;
export const FoundJobRow = component('FoundJobRow', {
  ...JOB,
  foundIn: described(
    oneOf('id', 'key', 'uniqueKey', 'tenant', 'name', 'error', 'payload'),
    'where the text was found: as a whole in the first four, as a part in the others',
  ),
});

export type JobSearchPage = Infer<typeof JobSearchPage>;
export const JobSearchPage = component('JobSearchPage', {
  jobs: listOf(FoundJobRow),
  counts: described(KeyedCounts, 'the jobs that this request has found, also those of other states'),
  next: described(nullable(text()), 'the `cursor` to search on; null once all jobs were searched'),
  searchedSince: described(
    nullable(TIME),
    'all jobs that were created since then were searched; null if all jobs were, or if the page was full before',
  ),
  examined: described(integer(0), 'jobs that this request has examined'),
  encodedBy: described(listOf(text()), 'codecs whose errors and payloads were met, and could not be searched'),
  takenAt: TIME,
});

export type JobLink = Infer<typeof JobLink>;
export const JobLink = component('JobLink', { id: UUID, name: text(), state: JobState });

export type Attempt = Infer<typeof Attempt>;
export const Attempt = component('Attempt', {
  attempt: integer(0),
  startedAt: described(nullable(TIME), 'unknown for attempts that crashed or were interrupted'),
  endedAt: nullable(TIME),
  outcome: described(
    oneOf('succeeded', 'failed', 'crashed', 'interrupted', 'running'),
    '`crashed`: the worker died or lost its lease; `interrupted`: crashed, snoozed, returned or cancelled',
  ),
  error: nullable(text()),
  stack: nullable(text()),
});

export type JobGroup = Infer<typeof JobGroup>;
export const JobGroup = component('JobGroup', {
  id: UUID,
  jobs: described(integer(0), 'the number of members'),
  succeeded: integer(0),
  failed: integer(0),
  cancelled: integer(0),
  expired: integer(0),
  pending: described(integer(0), 'members that have not ended'),
  members: described(
    listOf(JobLink),
    'some members: failed, cancelled and expired ones first, then those that have not ended',
  ),
});

export type MemberOutcome = Infer<typeof MemberOutcome>;
export const MemberOutcome = named('MemberOutcome', oneOf('failed', 'cancelled', 'expired', 'pending', 'succeeded'));

export type MemberPage = Infer<typeof MemberPage>;
export const MemberPage = component('MemberPage', {
  members: described(listOf(JobLink), 'oldest first, without pruned jobs'),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});

export type JobStep = Infer<typeof JobStep>;
export const JobStep = component('JobStep', {
  name: described(text(), 'empty for the cursor of the handler'),
  kind: oneOf('step', 'sleep', 'signal', 'child', 'cursor'),
  state: described(
    oneOf('open', 'done', 'failed', 'late'),
    '`open`: it waits, or is tried again; `late`: its timeout was over before a signal came',
  ),
  attempt: described(integer(0), 'the attempt that has stored it'),
  failures: integer(0),
  dueAt: described(nullable(TIME), 'when the sleep or the timeout ends, or the step is tried again'),
  awaits: described(listOf(text()), 'the signals that an open wait is for'),
  error: nullable(text()),
  took: described(nullable(integer(0)), 'in ms'),
  recordedAt: TIME,
  children: described(nullable(JobGroup), 'the jobs that this call has started'),
});

export type JobOrder = Infer<typeof JobOrder>;
export const JobOrder = component('JobOrder', {
  key: text(),
  head: described(nullable(UUID), 'the only job of the key that may run, or the failed one that blocks it'),
  blockedAt: described(nullable(TIME), 'since when the key is blocked by its failed head'),
  ahead: described(nullable(integer(0)), 'jobs ahead of it beside the head, up to 1,000; null if it does not wait'),
});

export type BlockedKey = Infer<typeof BlockedKey>;
export const BlockedKey = component('BlockedKey', {
  name: described(text(), 'of the definition'),
  key: text(),
  jobId: described(UUID, 'the failed job'),
  blockedAt: TIME,
  behind: described(integer(0), 'jobs that wait behind it, up to 1,000'),
});

export type BlockedKeyPage = Infer<typeof BlockedKeyPage>;
export const BlockedKeyPage = component('BlockedKeyPage', {
  keys: listOf(BlockedKey),
  next: described(nullable(text()), 'the `cursor` of the next page; null on the last page'),
});

export type JobDetail = Infer<typeof JobDetail>;
export const JobDetail = component('JobDetail', {
  ...JOB,
  payload: ANYTHING,
  progress: described(ANYTHING, 'the last value that the handler reported'),
  isRedacted: described(BOOLEAN, 'true if the payload, the result or the progress is not shown completely'),
  undecoded: described(
    listOf(oneOf('payload', 'result', 'progress')),
    'the values that could not be decoded; each is a text with the reason instead',
  ),
  payloadVersion: integer(0),
  result: ANYTHING,
  attempts: listOf(Attempt),
  worker: described(nullable(object({ id: text(), host: text(), pid: integer(0) })), 'the worker that runs it'),
  leaseEndsAt: nullable(TIME),
  trace: described(nullable(text()), 'the trace context of the enqueue'),
  waitsFor: described(nullable(JobGroup), 'the group that this job is a callback of'),
  parent: described(nullable(JobLink), 'the durable job whose child this is'),
  steps: described(listOf(JobStep), 'the steps and waits of a durable job, in the order in which they were stored'),
  followedBy: described(listOf(JobLink), 'the callbacks of the group that this job is a member of'),
  order: described(nullable(JobOrder), 'its place among the jobs of its order key'),
  actions: described(listOf(JobAction), 'the actions that the state and the role of the user allow'),
  manual: described(listOf(ManualAction), 'what the user may do to this job alone'),
});

export type JobLogLine = Infer<typeof JobLogLine>;
export const JobLogLine = component('JobLogLine', {
  attempt: integer(1),
  seq: described(integer(1), 'its number within the attempt'),
  loggedAt: TIME,
  level: oneOf('debug', 'info', 'warn', 'error'),
  message: text(),
  fields: described(ANYTHING, 'an object; null for none'),
  dropped: described(integer(0), 'for the line about dropped lines: how many they are; 0 for all others'),
});

export type JobLog = Infer<typeof JobLog>;
export const JobLog = component('JobLog', {
  lines: listOf(JobLogLine),
  isHidden: described(BOOLEAN, 'true if the application shows no logs'),
});

export type JobFilter = Infer<typeof JobFilter>;
export const JobFilter = component('JobFilter', FILTER.required, FILTER.optional);
