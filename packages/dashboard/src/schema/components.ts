import {
  ANYTHING,
  BOOLEAN,
  DURATION,
  NUMBER,
  type Properties,
  TIME,
  UUID,
  described,
  listOf,
  mapOf,
  nullable,
  object,
  oneOf,
  ref,
  text,
  whole,
} from './json-schema.js';

const LIVE = ['waiting', 'scheduled', 'ready', 'running'];
const STATES = [...LIVE, 'succeeded', 'failed', 'cancelled'];
const ACTIONS = ['run-now', 'retry', 'cancel', 'priority'];
/** How many jobs may be named one by one. */
const MOST_NAMED = 1_000;

const JOB: Properties = {
  id: UUID,
  queue: text(),
  name: text(),
  state: ref('JobState'),
  key: nullable(text()),
  tenant: nullable(text()),
  priority: whole(Number.MIN_SAFE_INTEGER),
  attempt: whole(0),
  failures: whole(0),
  createdAt: TIME,
  runAt: TIME,
  startedAt: nullable(TIME),
  finishedAt: nullable(TIME),
  error: described(nullable(text()), 'the first line of the last error'),
  progress: described(nullable(NUMBER), '0 to 1, where the handler tells such a number'),
};

/** What a filter of jobs has, and what it may have. */
export const FILTER = {
  required: { state: ref('JobState') },
  optional: {
    queue: text(64),
    name: described(text(128), 'of the definition'),
    key: text(191),
    tenant: text(191),
    error: described(text(1_000), 'a text in the last error'),
    from: described(whole(0), 'in ms: when live ones were or will be due, when finished ones ended'),
    to: described(whole(0), 'in ms; before this time'),
  },
};

const NAMES_JOBS = { type: 'object', required: ['ids'] };

const PRIORITY = described(whole(-500, 500), 'smaller ones run first');

const perState = object(Object.fromEntries(LIVE.map((state) => [state, ref('Count')])));

/** What the API says, by name: that of the type in the contract. */
export const COMPONENTS: Properties = {
  Count: object({ count: whole(0), isCapped: described(BOOLEAN, 'whether there are that many or more') }),
  JobState: oneOf(...STATES),
  JobAction: oneOf(...ACTIONS),
  Me: object({
    name: nullable(text()),
    role: oneOf('reader', 'operator'),
    databases: listOf(text()),
    version: text(),
  }),
  QueueLimits: object({
    concurrency: nullable(whole(1, 10_000)),
    rate: nullable(object({ jobs: whole(1, 1_000_000_000), per: whole(1, 365 * 24 * 3_600_000) })),
    perTenant: nullable(whole(1, 10_000)),
  }),
  QueueRow: object({
    queue: text(),
    counts: perState,
    oldestReady: nullable(DURATION),
    throughput: described(NUMBER, 'finished per second, over the last minute'),
    failureRate: described(nullable(NUMBER), 'failed attempts of all of the last hour, 0 to 1'),
    latency: nullable(DURATION),
    spark: described(listOf(whole(0)), 'finished in each of the last 60 minutes, the oldest first'),
    pausedAt: nullable(TIME),
    workers: whole(0),
    weights: described(listOf(whole(1)), 'that it has there, the least first'),
    limits: ref('QueueLimits'),
  }),
  Series: object({
    span: oneOf('hour', 'day'),
    bucket: DURATION,
    takenAt: TIME,
    points: described(listOf(ref('SeriesPoint')), 'the oldest first'),
  }),
  SeriesPoint: object({
    at: TIME,
    succeeded: whole(0),
    failed: whole(0),
    retried: whole(0),
    latencyMean: nullable(DURATION),
    latencyMax: nullable(DURATION),
    runMean: nullable(DURATION),
  }),
  Attention: object({
    severity: oneOf('critical', 'warning', 'notice'),
    kind: oneOf('no-workers', 'failing', 'late', 'paused', 'schedule-missed', 'workers-silent'),
    queue: nullable(text()),
    text: text(),
    since: nullable(TIME),
  }),
  Overview: object({
    takenAt: TIME,
    queues: listOf(ref('QueueRow')),
    workers: described(whole(0), 'how many processes hold a lease'),
    attention: described(listOf(ref('Attention')), 'the worst first'),
    failedLastDay: described(ref('Count'), 'failed for good within the 24 hours before `takenAt`, not retried since'),
    totals: perState,
  }),
  JobRow: object(JOB),
  JobPage: object({
    jobs: listOf(ref('JobRow')),
    next: described(nullable(text()), 'for `cursor`; null at the end'),
    takenAt: TIME,
    isPartial: described(BOOLEAN, 'whether the search stopped at its bound: `next` goes on'),
    actions: described(listOf(ref('JobAction')), 'what the one who asks can do with jobs of this state'),
  }),
  KeyedCounts: object(Object.fromEntries(STATES.map((state) => [state, ref('Count')]))),
  JobDetail: object({
    ...JOB,
    payload: ANYTHING,
    progress: ANYTHING,
    isRedacted: BOOLEAN,
    payloadVersion: whole(0),
    result: ANYTHING,
    attempts: listOf(ref('Attempt')),
    worker: described(nullable(object({ id: text(), host: text() })), 'the one that runs it'),
    leaseEndsAt: nullable(TIME),
    trace: nullable(text()),
    waitsFor: described(nullable(ref('JobGroup')), 'the group that it is a callback of'),
    followedBy: described(listOf(ref('JobLink')), 'the callbacks of the group that it is a member of'),
    actions: listOf(ref('JobAction')),
  }),
  PriorityRequest: object({ priority: PRIORITY }),
  JobFilter: object(FILTER.required, FILTER.optional),
  JobIds: object({ ids: { ...listOf(UUID), minItems: 1, maxItems: MOST_NAMED } }),
  PreviewRequest: object({ action: ref('JobAction'), filter: ref('JobFilter') }),
  BulkPreview: object({
    matching: described(
      ref('Count'),
      'capped at 10,000, or after looking at about 100,000 jobs: what is rare among them may be told as none so far',
    ),
  }),
  BulkRequest: object(
    {
      action: ref('JobAction'),
      // Not a choice of two: what is wrong with one of them is to be named.
      filter: {
        allOf: [
          { if: NAMES_JOBS, else: ref('JobFilter') },
          { if: { not: NAMES_JOBS }, else: ref('JobIds') },
        ],
      },
    },
    {
      priority: described(PRIORITY, 'for the action `priority`'),
      cursor: described(text(100), 'the `next` of the answer before, to the same action and filter; not with ids'),
    },
  ),
  BulkResult: object({
    changed: described(whole(0), 'by this request'),
    skipped: described(whole(0), 'those that were in another state, or that somebody had locked'),
    next: described(nullable(text()), 'for `cursor`, to go on; null when all is done'),
  }),
  Attempt: object({
    attempt: whole(0),
    startedAt: described(nullable(TIME), 'not known of one that has crashed, or was broken off'),
    endedAt: nullable(TIME),
    outcome: oneOf('succeeded', 'failed', 'crashed', 'broken-off', 'running'),
    error: nullable(text()),
    stack: nullable(text()),
  }),
  JobGroup: object({
    id: UUID,
    jobs: described(whole(0), 'how many members it has'),
    succeeded: whole(0),
    failed: whole(0),
    cancelled: whole(0),
    pending: described(whole(0), 'how many of them have not ended'),
    members: described(
      listOf(ref('JobLink')),
      'some of them: failed and cancelled ones first, then those that have not ended',
    ),
  }),
  JobLink: object({ id: UUID, name: text(), state: ref('JobState') }),
  WorkerRow: object({
    id: text(),
    host: text(),
    pid: whole(0),
    version: described(text(), 'of @tablequeue/typeorm'),
    startedAt: TIME,
    seenAt: TIME,
    leaseEndsAt: TIME,
    queues: nullable(listOf(text())),
    weights: described(mapOf(whole(1)), 'of each queue: its share of the room of the worker'),
    running: described(listOf(ref('JobRow')), 'some of them, the oldest first'),
    runningCount: ref('Count'),
  }),
  ScheduleRow: object({
    name: text(),
    job: text(),
    queue: text(),
    pattern: text(),
    timeZone: nullable(text()),
    nextAt: nullable(TIME),
    upcoming: listOf(TIME),
    lastAt: nullable(TIME),
    lastJob: nullable(ref('JobLink')),
    pausedAt: nullable(TIME),
  }),
  DoctorReport: object({ takenAt: TIME, server: text(), findings: listOf(ref('DoctorFinding')) }),
  DoctorFinding: object({
    check: text(),
    level: oneOf('good', 'notice', 'warning', 'problem'),
    text: text(),
    advice: nullable(text()),
  }),
  AuditPage: object({ entries: listOf(ref('AuditEntry')), next: nullable(text()) }),
  AuditEntry: object({
    id: UUID,
    at: TIME,
    who: nullable(text()),
    action: text(),
    target: text(),
    detail: nullable(text()),
    outcome: text(),
  }),
  Problem: object(
    { type: text(), title: text(), status: whole(400, 599), detail: text() },
    { parameter: described(text(), 'the one that was wrong') },
  ),
};
