import { EVENT_RETRY } from '../../definition/event-definition.js';
import { EVENTS_QUEUE, REPLAY_JOB } from '../../definition/event-queue.js';
import { makeJobDefinition } from '../../definition/job-definition.js';
import { UnknownSubscriptionError, isDatabaseUnavailable } from '../../errors/index.js';
import { groupBy } from '../../group-by.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { RunPart } from '../../store/events/event-run.js';
import { fanOut } from '../../store/events/fan-out.js';
import { type Replay, replayEvents } from '../../store/events/replay.js';
import { errorText } from '../completing/error-text.js';
import { type AttemptResult, RESCHEDULED, RETURNED } from '../completing/outcome.js';
import { retryWhileLocked } from '../completing/retry-while-locked.js';
import type { DurableDependencies } from '../durable/durable-dependencies.js';
import type { Attempt } from '../running/attempt.js';
import { outcomeOfError } from '../running/outcome-policy.js';

/** How long a replay waits for events that are being fanned out, in ms. */
const BEFORE_NEXT_LOOK = 500;

const POLICY = makeJobDefinition(REPLAY_JOB, { queue: EVENTS_QUEUE, retry: EVENT_RETRY });

/** What runs of events work with. */
export type EventRunDependencies = Pick<DurableDependencies, 'engine' | 'enqueuer' | 'outcomes' | 'isStopping'>;

/**
 * Runs a job of the queue of events: fans a published event out to its subscriptions, or replays events. Never throws.
 *
 * It stores its jobs in parts, see `store/events/event-run.ts`. Between them it ends when the worker stops, and goes on
 * in another process.
 */
export async function runEvent(
  dependencies: EventRunDependencies,
  job: ClaimedJob,
  attempt: Attempt,
): Promise<AttemptResult> {
  const { enqueuer, outcomes, isStopping } = dependencies;
  try {
    for (;;) {
      assertNotAborted(attempt);
      if (isStopping()) {
        return RETURNED;
      }
      const { state, jobs } = await storeNextPart(dependencies, job, attempt);
      for (const [queue, own] of groupBy(jobs, (each) => each.queue)) {
        void enqueuer.onStored(queue, own);
      }
      switch (state) {
        case 'done':
          return { kind: 'committed', isOurs: true };
        case 'lost':
          return { kind: 'committed', isOurs: false };
        case 'waits':
          return { kind: 'snoozed', delay: BEFORE_NEXT_LOOK, hasRun: true };
        case 'unsubscribed': {
          const { event, subscription } = replayOf(job);
          const error = new UnknownSubscriptionError(event, subscription);
          return { kind: 'failed', error, text: errorText(error, outcomes.redact) };
        }
        case 'more':
      }
    }
  } catch (error) {
    if (isDatabaseUnavailable(error) && attempt.abortReason === undefined) {
      // The last COMMIT may have taken effect, and have ended the job.
      return { kind: 'uncertain', keep: 'all', ifRolledBack: RESCHEDULED };
    }
    return outcomeOfError(outcomes, POLICY, job, attempt, error);
  }
}

async function storeNextPart(
  { engine }: EventRunDependencies,
  job: ClaimedJob,
  attempt: Attempt,
): Promise<RunPart & { readonly state: Exclude<RunPart['state'], 'busy'> }> {
  const isReplay = job.name === REPLAY_JOB;
  const purpose = isReplay ? 'replay events' : 'fan out an event';
  const tryOnce = async () => {
    const part = await engine.execute(
      (dialect) => (isReplay ? replayEvents(dialect, job, replayOf(job)) : fanOut(dialect, job)),
      { purpose, atomic: true },
    );
    return part.state === 'busy' ? 'busy' : (part as RunPart & { state: Exclude<RunPart['state'], 'busy'> });
  };
  const part = await tryOnce();
  return part === 'busy' ? retryWhileLocked(tryOnce, () => assertNotAborted(attempt)) : part;
}

function replayOf({ payload }: ClaimedJob): Replay {
  return JSON.parse(payload as string) as Replay;
}

/** @throws the reason of an abort. */
function assertNotAborted({ abortReason }: Attempt): void {
  if (abortReason !== undefined) {
    throw abortReason;
  }
}
