import type { AttemptOutcome, Instrumentation, ProcessedEnd } from '../../instrumentation/instrumentation.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { AttemptResult } from '../completing/outcome.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';
import type { JobInfo } from '../handlers/job-handler.js';
import type { Attempt } from './attempt.js';

/** The events that report the outcome of an attempt. */
const OUTCOMES = [
  'succeeded',
  'failed',
  'retried',
  'snoozed',
  'parked',
  'cancelled',
  'expired',
  'returned',
  'unhandled',
  'lost',
] as const;

/** A job whose handler is called. */
interface ObservedJob {
  readonly job: ClaimedJob;
  readonly attempt: Attempt;
}

/** Reports the stored outcomes of a worker's attempts. @param instrumentation one that never throws. */
export function reportOutcomes(instrumentation: Instrumentation, events: WorkerEventEmitter): void {
  for (const outcome of OUTCOMES) {
    events.on(outcome, ({ queue, name }: JobInfo) => instrumentation.recordOutcome({ queue, name, outcome }));
  }
}

/** Runs an attempt inside a span. @param work neither throws nor rejects. */
export function observeJob(
  instrumentation: Instrumentation,
  job: ClaimedJob,
  attempt: Attempt,
  work: () => AttemptResult | Promise<AttemptResult>,
): Promise<AttemptResult> {
  return observe(
    instrumentation,
    [{ job, attempt }],
    false,
    () => attempt.orEarlyEnd(work()),
    (outcome) => [endOf(attempt.id, outcome)],
  );
}

/** Runs a batch handler's call inside a span. @param work never rejects, and resolves with the end of each job. */
export async function observeBatch(
  instrumentation: Instrumentation,
  jobs: readonly ObservedJob[],
  work: () => Promise<readonly ProcessedEnd[]>,
): Promise<void> {
  await observe(instrumentation, jobs, true, work, (ends) => ends);
}

async function observe<Result>(
  instrumentation: Instrumentation,
  jobs: readonly ObservedJob[],
  isBatch: boolean,
  work: () => Result | Promise<Result>,
  endsOf: (result: Result) => readonly ProcessedEnd[],
): Promise<Result> {
  const { queue, name } = (jobs[0] as ObservedJob).job;
  const processing = instrumentation.process({
    queue,
    name,
    isBatch,
    jobs: jobs.map(({ job, attempt }) => ({ id: attempt.id, attempt: job.attempt, trace: job.trace })),
  });
  let working: Result | Promise<Result> | undefined;
  processing.run(() => {
    working = work();
  });
  const result = (await working) as Result;
  processing.ended(endsOf(result));
  return result;
}

function endOf(id: string, outcome: AttemptResult): ProcessedEnd {
  return { id, outcome: attemptOutcomeOf(outcome), error: 'error' in outcome ? outcome.error : undefined };
}

function attemptOutcomeOf(outcome: AttemptResult): AttemptOutcome {
  switch (outcome.kind) {
    case 'committed':
      return outcome.isOurs ? 'succeeded' : 'lost';
    case 'uncertain':
      return 'unknown';
    default:
      return outcome.kind;
  }
}
