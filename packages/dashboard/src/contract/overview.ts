import { PROBLEM_KINDS, SEVERITIES } from '@tablequeue/typeorm/internal';

import { Count, Totals } from './counts.js';
import {
  BOOLEAN,
  DURATION,
  type Infer,
  NUMBER,
  TIME,
  component,
  described,
  integer,
  listOf,
  named,
  nullable,
  oneOf,
  text,
} from './json-schema.js';

const MOST_JOBS = 10_000;
const LONGEST_QUEUE = 1_000_000;
const YEAR = 365 * 24 * 3_600_000;

const MOST_STARTED = 1_000_000_000;

export type RateLimit = Infer<typeof RateLimit>;
export const RateLimit = component('RateLimit', {
  jobs: described(integer(1, MOST_STARTED), 'jobs started in `per` ms on all workers together'),
  per: integer(1, YEAR),
  burst: described(nullable(integer(1, MOST_STARTED)), 'jobs that can start at once; null: the default'),
});

export type QueueLimits = Infer<typeof QueueLimits>;
export const QueueLimits = component('QueueLimits', {
  concurrency: described(nullable(integer(1, MOST_JOBS)), 'running jobs on all workers together; null: no limit'),
  rate: described(nullable(RateLimit), 'starts of jobs; null: no limit'),
  perTenant: described(nullable(integer(1, MOST_JOBS)), 'running jobs of one tenant; null: no limit'),
  ratePerTenant: described(nullable(RateLimit), 'starts of jobs of one tenant; null: no limit'),
  maxLength: described(
    nullable(integer(1, LONGEST_QUEUE)),
    'waiting jobs, above which an enqueue is refused; null: no limit',
  ),
});

export type PauseRequest = Infer<typeof PauseRequest>;
export const PauseRequest = component(
  'PauseRequest',
  {},
  { reason: described(text(500), 'why, for the audit log; default: no reason') },
);
export type ProblemKind = Infer<typeof ProblemKind>;
export const ProblemKind = named('ProblemKind', oneOf(...PROBLEM_KINDS));

export type HealthProblem = Infer<typeof HealthProblem>;
export const HealthProblem = component('HealthProblem', {
  kind: ProblemKind,
  severity: oneOf(...SEVERITIES),
  text: described(text(), 'what is wrong, in a sentence'),
  since: nullable(TIME),
  count: described(integer(0), 'how many jobs, queues, workers, tasks, keys or schedules are affected'),
  examples: described(listOf(text()), 'up to three of them'),
  harm: described(text(), 'what it does to jobs'),
  action: described(text(), 'what to do'),
});

export type QueueRow = Infer<typeof QueueRow>;
export const QueueRow = component('QueueRow', {
  queue: text(),
  counts: Totals,
  oldestReady: described(nullable(DURATION), 'how long the oldest ready job has been due, in ms'),
  throughput: described(NUMBER, 'jobs finished per second in the last minute'),
  failureRate: described(
    nullable(NUMBER),
    'share of the attempts in the last hour that failed, 0 to 1; null without attempts',
  ),
  latency: described(nullable(DURATION), 'from due to started in the last hour, on average, in ms; null without jobs'),
  spark: described(listOf(integer(0)), 'jobs finished in each of the last 60 minutes, oldest first'),
  pausedAt: nullable(TIME),
  workers: described(integer(0), 'processes that work on it'),
  weights: described(listOf(integer(1)), 'its weights on these processes, ascending'),
  limits: QueueLimits,
  problems: described(listOf(ProblemKind), 'the kinds of problems that concern it, worst first'),
});

/** What queues are sorted by. */
export type QueueColumn = Infer<typeof QueueColumn>;
export const QueueColumn = oneOf(
  'queue',
  'ready',
  'running',
  'scheduled',
  'oldestReady',
  'latency',
  'failureRate',
  'workers',
  'throughput',
);

export type QueuePage = Infer<typeof QueuePage>;
export const QueuePage = component('QueuePage', {
  takenAt: TIME,
  queues: listOf(QueueRow),
  offset: described(integer(0), 'how many queues are on the pages before'),
  matching: described(integer(0), 'how many queues match, on all pages'),
  inTrouble: described(integer(0), 'how many of all queues have a problem'),
});

export type QueueNames = Infer<typeof QueueNames>;
export const QueueNames = component('QueueNames', {
  names: described(listOf(text()), 'the first 2,000 queues, by name'),
  hasMore: described(BOOLEAN, 'whether there are more queues'),
});

export type Overview = Infer<typeof Overview>;
export const Overview = component('Overview', {
  takenAt: TIME,
  queueCount: described(integer(0), 'queues that have jobs, settings or workers, or had jobs in the last hour'),
  throughput: described(NUMBER, 'jobs finished per second in the last minute, all queues together'),
  workers: described(integer(0), 'processes with a valid lease'),
  status: described(oneOf('ok', ...SEVERITIES), 'the severity of the worst problem, or `ok`'),
  problems: described(listOf(HealthProblem), 'what is wrong, one for each kind, worst first'),
  failedLastDay: described(Count, 'jobs that failed in the 24 hours before `takenAt` and were not retried'),
  totals: described(Totals, 'all queues together'),
});

const perBucket = (description: string) => described(nullable(DURATION), `${description}, in ms; null without jobs`);

export type SeriesPoint = Infer<typeof SeriesPoint>;
export const SeriesPoint = component('SeriesPoint', {
  at: described(TIME, 'the start of the bucket, in ms since 1970'),
  succeeded: integer(0),
  failed: integer(0),
  retried: integer(0),
  latencyMean: perBucket('from due to started, on average'),
  latencyMax: perBucket('from due to started, at most'),
  runMean: perBucket('from started to ended, on average'),
});

export type Series = Infer<typeof Series>;
export const Series = component('Series', {
  span: described(oneOf('hour', 'day'), '`hour`: 60 buckets of 1 min; `day`: 96 buckets of 15 min'),
  bucket: described(DURATION, 'the length of a bucket, in ms'),
  takenAt: TIME,
  points: described(listOf(SeriesPoint), 'oldest first'),
});
