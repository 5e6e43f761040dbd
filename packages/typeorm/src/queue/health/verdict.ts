import type { HealthFacts } from './facts.js';
import { abandonedJobs } from './kinds/abandoned-jobs.js';
import { blockedKeys } from './kinds/blocked-keys.js';
import { blockedWorkers } from './kinds/blocked-workers.js';
import { clockWentBack } from './kinds/clock-went-back.js';
import { databaseDown } from './kinds/database-down.js';
import { databaseFindings, heldPurge } from './kinds/database-findings.js';
import { deadWorkers } from './kinds/dead-workers.js';
import { failedJobs } from './kinds/failed-jobs.js';
import { failingAttempts } from './kinds/failing-attempts.js';
import { incompleteGroups } from './kinds/incomplete-groups.js';
import { lateBacklog } from './kinds/late-backlog.js';
import { leaseLost } from './kinds/lease-lost.js';
import { stuckJobs } from './kinds/stuck-jobs.js';
import { longTransaction } from './kinds/long-transaction.js';
import { maintenanceOverdue } from './kinds/maintenance-overdue.js';
import { missedTicks } from './kinds/missed-ticks.js';
import { noWorker } from './kinds/no-worker.js';
import { orphanedJobs } from './kinds/orphaned-jobs.js';
import { pausedQueues } from './kinds/paused-queues.js';
import { unhandledSubscriptions } from './kinds/unhandled-subscriptions.js';
import { type FoundProblem, type HealthSeverity, PROBLEM_KINDS, SEVERITIES } from './problem.js';

/** `ok`, or the severity of the worst problem. */
export type HealthStatus = 'ok' | HealthSeverity;

/** What is wrong. */
export interface Verdict {
  readonly status: HealthStatus;
  /** One for each kind, worst first. */
  readonly problems: readonly FoundProblem[];
}

/** The kinds that do not need the database. */
const WITHOUT_DATABASE = [databaseDown, leaseLost, orphanedJobs];

/** The kinds that are found in what was read. To add one, add a file to the folder `kinds` and a line here. */
const IN_READINGS = [
  noWorker,
  missedTicks,
  abandonedJobs,
  deadWorkers,
  maintenanceOverdue,
  failingAttempts,
  lateBacklog,
  stuckJobs,
  blockedWorkers,
  blockedKeys,
  incompleteGroups,
  unhandledSubscriptions,
  clockWentBack,
  longTransaction,
  heldPurge,
  databaseFindings,
  failedJobs,
  pausedQueues,
];

/**
 * Decides what is wrong. `health()`, the Nest health indicator, the metrics, the command `status` and the dashboard all
 * show what it returns, so that they never contradict each other.
 */
export function verdict(facts: HealthFacts): Verdict {
  const { readings } = facts;
  const problems = [
    ...WITHOUT_DATABASE.flatMap((find) => find(facts)),
    ...(readings instanceof Error ? [] : IN_READINGS.flatMap((find) => find({ ...facts, readings }))),
  ].toSorted(
    (one, other) =>
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
      PROBLEM_KINDS.indexOf(one.kind) - PROBLEM_KINDS.indexOf(other.kind),
  );
  return { status: problems[0]?.severity ?? 'ok', problems };
}
