import { fileURLToPath } from 'node:url';

import type { Counts } from './client/task.js';
import { peers } from './peers.js';
import { type Ground, QUEUE_TASKS, type RoundTask, type SubjectPlan } from './subject-plan.js';

/** What this run does. */
export interface Plan {
  readonly isQuick: boolean;
  readonly subjects: readonly SubjectPlan[];
  readonly counts: Counts;
  readonly rounds: number;
  /** What is measured in each round, of the subjects that have it. */
  readonly tasks: readonly RoundTask[];
  /** How many jobs the drain has that shows whether memory grows. */
  readonly longDrain: number;
  /** Whether the latency of every subject is measured: where a queue polls that takes its time. */
  readonly everyLatency: boolean;
  /** What is measured once, of Tablequeue: names of measurements. */
  readonly measurements: readonly string[];
  /** Whether it is all that there is: what another run has not measured is not missed. */
  readonly isWhole: boolean;
}

const QUICK: Counts = {
  bulk: 30_000,
  inFlight: 5_000,
  inFlightLongest: 500,
  sequential: 3_000,
  drain: 40_000,
  latency: 100,
  silence: 1_500,
  silences: 1,
  idle: 5_000,
  snapshot: 15_000,
  backlog: 40_000,
  finished: 80_000,
  calls: 3,
  beside: 100_000,
  processes: 6_000,
  stepJobs: 100,
  signals: 30,
  sleeping: 10_000,
  waiting: 30_000,
  enqueued: 5_000,
  turns: 1,
};

const FULL: Counts = {
  // Less of these and of the drain, and what is measured is how long a process takes to compile what it runs first.
  bulk: 300_000,
  inFlight: 200_000,
  inFlightLongest: 15_000,
  sequential: 15_000,
  drain: 200_000,
  // The 99th percentile of 500 is the fifth highest.
  latency: 1_000,
  silence: 60_000,
  // A median of 60 waits of up to 250 ms is 20 ms off now and then.
  silences: 2,
  idle: 20_000,
  snapshot: 100_000,
  backlog: 1_000_000,
  finished: 10_000_000,
  calls: 20,
  beside: 200_000,
  processes: 40_000,
  stepJobs: 1_000,
  signals: 500,
  sleeping: 100_000,
  waiting: 300_000,
  enqueued: 50_000,
  // Single turns differ by a fifth.
  turns: 3,
};

const own = (name: string, file: string, ground: Ground): SubjectPlan => ({
  name,
  module: fileURLToPath(new URL(`subjects/${file}.js`, import.meta.url)),
  ground,
  node: 'machine',
  share: 1,
  tasks: [...QUEUE_TASKS, 'steps'],
  quick: true,
});

/** What is compared with one another is measured one after the other: the machine is not the same minutes later. */
const OWN = [
  own('Tablequeue, MariaDB', 'tablequeue', 'mariadb'),
  own('bare pipeline, MariaDB', 'bare', 'mariadb'),
  own('Tablequeue, MySQL', 'tablequeue', 'mysql'),
  own('bare pipeline, MySQL', 'bare', 'mysql'),
  own('Tablequeue, SQLite', 'tablequeue', 'sqlite'),
];

/** What a full run measures of the bare pipeline as well: it shows how much of it is the server's. */
const OF_BARE = new Set(['many-processes']);

/** All that is measured once, of Tablequeue. */
const MEASUREMENTS = [
  'idle-statements',
  'remote-latency',
  'held-snapshot',
  'large-tables',
  'many-processes',
  'long-drain',
  'browsing',
  'beside-dashboard',
  'waiting-jobs',
  'limits',
  'rate-limits',
  'ordered-jobs',
];

/** Durable steps: measured in rounds, with the peers, and alone with `--measure=steps`. */
const STEPS = 'steps';

/** Takes minutes however few jobs it has. */
const NOT_QUICK = new Set(['beside-dashboard']);

/**
 * What a run of a kind does.
 *
 * @param measurements nothing but these.
 * @param others Tablequeue of another commit.
 */
export async function planOf(
  isQuick: boolean,
  measurements: readonly string[] | undefined,
  others: readonly SubjectPlan[],
): Promise<Plan> {
  const unknown = measurements?.find((name) => name !== STEPS && !MEASUREMENTS.includes(name));
  if (unknown !== undefined) {
    throw new Error(`There is no measurement "${unknown}". There is: ${[STEPS, ...MEASUREMENTS].join(', ')}.`);
  }
  const isForSteps = measurements?.includes(STEPS) ?? false;
  const all = [
    ...OWN.flatMap((each) => [each, ...others.filter(({ ground }) => isTablequeue(each) && each.ground === ground)]),
    ...(measurements && !isForSteps ? [] : await peers()),
  ];
  const subjects = measurements
    ? all.filter(
        (subject) =>
          (isForSteps && subject.tasks.includes(STEPS)) ||
          measurements.some((name) => name !== STEPS && isMeasuredOf(subject, name, isQuick)),
      )
    : all;
  return {
    isQuick,
    subjects: isQuick ? subjects.filter(({ quick }) => quick) : subjects,
    counts: isQuick ? QUICK : FULL,
    rounds: measurements && !isForSteps ? 0 : isQuick ? 1 : 4,
    tasks: measurements ? [STEPS] : [...QUEUE_TASKS, STEPS],
    longDrain: isQuick ? 50_000 : 1_000_000,
    everyLatency: !isQuick,
    measurements:
      measurements?.filter((name) => name !== STEPS) ??
      MEASUREMENTS.filter((name) => !(isQuick && NOT_QUICK.has(name))),
    isWhole: !isQuick && !measurements,
  };
}

/** Whether it is Tablequeue of this commit. */
export function isTablequeue({ name }: SubjectPlan): boolean {
  return name.startsWith('Tablequeue');
}

/** Whether one of the measurements is made of a subject. */
export function isMeasuredOf(subject: SubjectPlan, measurement: string, isQuick: boolean): boolean {
  const isBare = subject.name.startsWith('bare pipeline');
  return isBare ? OF_BARE.has(measurement) && !isQuick : isTablequeue(subject) && subject.ground !== 'sqlite';
}
