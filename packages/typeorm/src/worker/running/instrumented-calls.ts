import type { AttemptOutcome, Instrumentation, ProcessedEnd } from '../../instrumentation/instrumentation.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { JobInfo } from '../handlers/job-handler.js';
import type { Attempt } from './attempt.js';
import type { AttemptResult } from '../completing/outcome.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';

/** The events that tell how an attempt has ended. */
const OUTCOMES = ['succeeded', 'failed', 'retried', 'snoozed', 'cancelled', 'released', 'unhandled', 'lost'] as const;

/** A job that is handed to its handler. */
interface HandedJob {
  readonly job: ClaimedJob;
  readonly run: Attempt;
}

/** Tells an instrumentation of the calls of handlers, and runs them inside of what it makes of them. */
export class InstrumentedCalls {
  /** @param instrumentation one that never throws. */
  constructor(
    private readonly instrumentation: Instrumentation,
    events: WorkerEventEmitter,
  ) {
    for (const outcome of OUTCOMES) {
      events.on(outcome, ({ queue, name }: JobInfo) => instrumentation.settled({ queue, name, outcome }));
    }
  }

  /** @param work an attempt, which neither throws nor rejects. */
  single(job: ClaimedJob, run: Attempt, work: () => AttemptResult | Promise<AttemptResult>): Promise<AttemptResult> {
    return this.within([{ job, run }], false, work, (outcome) => [endOf(run.id, outcome)]);
  }

  /** @param work a call of a batch handler, which never rejects, and tells what has become of each job. */
  async batch(jobs: readonly HandedJob[], work: () => Promise<readonly ProcessedEnd[]>): Promise<void> {
    await this.within(jobs, true, work, (ends) => ends);
  }

  private async within<Result>(
    jobs: readonly HandedJob[],
    isBatch: boolean,
    work: () => Result | Promise<Result>,
    endsOf: (result: Result) => readonly ProcessedEnd[],
  ): Promise<Result> {
    const { queue, name } = (jobs[0] as HandedJob).job;
    const processing = this.instrumentation.process({
      queue,
      name,
      isBatch,
      jobs: jobs.map(({ job, run }) => ({ id: run.id, attempt: job.attempt, trace: job.trace })),
    });
    let working: Result | Promise<Result> | undefined;
    processing.run(() => {
      working = work();
    });
    const result = (await working) as Result;
    processing.ended(endsOf(result));
    return result;
  }
}

function endOf(id: string, outcome: AttemptResult): ProcessedEnd {
  return { id, outcome: attemptOutcomeOf(outcome), error: 'error' in outcome ? outcome.error : undefined };
}

function attemptOutcomeOf(outcome: AttemptResult): AttemptOutcome {
  switch (outcome.kind) {
    case 'committed':
      return outcome.isOurs ? 'succeeded' : 'lost';
    case 'in doubt':
      return 'unknown';
    default:
      return outcome.kind;
  }
}
