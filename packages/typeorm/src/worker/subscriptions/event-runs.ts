import { AsyncResource } from 'node:async_hooks';

import { Batcher } from '../../async/batcher.js';
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
import { outcomeOfCrashes, outcomeOfError } from '../running/outcome-policy.js';

/** How long a replay waits for events that are being fanned out, in ms. */
const BEFORE_NEXT_LOOK = 500;

const POLICY = makeJobDefinition(REPLAY_JOB, { queue: EVENTS_QUEUE, retry: EVENT_RETRY });

/** What runs of events work with. */
export type EventRunDependencies = Pick<DurableDependencies, 'engine' | 'enqueuer' | 'outcomes' | 'isStopping'>;

/** How many events one transaction fans out at most. */
const MOST_EVENTS = 100;

type PartOfRun = RunPart & { readonly state: Exclude<RunPart['state'], 'busy'> };

/**
 * Runs the jobs of the queue of events: fans published events out to their subscriptions, and replays events.
 *
 * A run stores its jobs in parts, see `store/events/event-run.ts`. Between them it ends when the worker stops, and goes
 * on in another process. Events that are fanned out at the same time share transactions.
 */
export class EventRuns {
  private readonly fanOuts: Batcher<ClaimedJob, RunPart>;

  constructor(private readonly dependencies: EventRunDependencies) {
    const { engine } = dependencies;
    // Not in the asynchronous context of the event that happens to be first.
    const neutral = new AsyncResource('TableQueueEvents');
    const schedule = (begin: () => void) => setImmediate(() => neutral.runInAsyncScope(begin));
    const options = { purpose: 'fan out an event', atomic: true };
    const write = (events: readonly ClaimedJob[]) => engine.execute((dialect) => fanOut(dialect, events), options);
    this.fanOuts = new Batcher(write, MOST_EVENTS, schedule);
  }

  /** Runs a job of the queue. Never throws. */
  async run(job: ClaimedJob, attempt: Attempt): Promise<AttemptResult> {
    const { enqueuer, outcomes, isStopping } = this.dependencies;
    const poison = outcomeOfCrashes(job, POLICY);
    if (poison) {
      return poison;
    }
    try {
      for (;;) {
        assertNotAborted(attempt);
        if (isStopping()) {
          return RETURNED;
        }
        const { state, jobs } = await this.storeNextPart(job, attempt);
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

  private async storeNextPart(job: ClaimedJob, attempt: Attempt): Promise<PartOfRun> {
    const tryOnce = async () => {
      const part = await (job.name === REPLAY_JOB ? this.replay(job) : this.fanOuts.add(job));
      return part.state === 'busy' ? 'busy' : (part as PartOfRun);
    };
    const part = await tryOnce();
    return part === 'busy' ? retryWhileLocked(tryOnce, () => assertNotAborted(attempt)) : part;
  }

  private replay(job: ClaimedJob): Promise<RunPart> {
    const options = { purpose: 'replay events', atomic: true };
    return this.dependencies.engine.execute((dialect) => replayEvents(dialect, job, replayOf(job)), options);
  }
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
