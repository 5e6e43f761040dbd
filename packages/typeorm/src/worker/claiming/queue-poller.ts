import type { Engine } from '../../engine/engine.js';
import type { MovedJobs } from '../../store/base/order/lane.js';
import { type PollResult, pollQueues } from '../../store/claim/poll-queues.js';
import { type Signals, findSignals } from '../../store/claim/signals.js';
import type { FailureDetector } from '../liveness/failure-detector.js';
import type { JobPool } from '../running/job-pool.js';
import type { PollSchedule } from './poll-schedule.js';
import type { QueueClaimState } from './queue-claim-state.js';
import type { UncertainClaims } from './uncertain-claims.js';

/** How often pauses, limits and cancellations are read at least, in ms: each takes effect within a second. */
export const SIGNALS_INTERVAL = 750;

/** What a poller works with. */
export interface PollerDependencies {
  readonly engine: Engine;
  readonly failureDetector: FailureDetector;
  /** The jobs that run here, which may be cancelled. */
  readonly pool: JobPool;
  /** Makes the first due jobs of a queue ready. */
  readonly promote: (queue: string) => Promise<MovedJobs>;
  /** Called when a queue has become empty and idle here. */
  readonly onDrained: (queue: string) => void;
}

/** Polls the queues of a claimer, and reads the signals for its worker. */
export class QueuePoller {
  private signalsReadAt = -Infinity;

  constructor(
    private readonly dependencies: PollerDependencies,
    private readonly queues: readonly QueueClaimState[],
    /** Those that jobs are claimed from now. Only they are polled. */
    private readonly activeQueues: () => readonly QueueClaimState[],
    private readonly schedule: PollSchedule,
    private readonly uncertainClaims: UncertainClaims,
  ) {}

  /** The time until the next poll is due, in ms; Infinity without a queue to poll. */
  get pollDueIn(): number {
    const queues = this.activeQueues();
    return queues.length === 0 ? Infinity : this.schedule.remaining(queues.every(({ needsNoPoll }) => needsNoPoll));
  }

  /** The time until the signals must be read again, in ms. */
  get signalsDueIn(): number {
    return Math.max(0, this.signalsReadAt + SIGNALS_INTERVAL - performance.now());
  }

  /** A statement failed: gives the database a pause. */
  onFailed(): void {
    this.schedule.onFailed();
    this.signalsReadAt = performance.now();
    this.dependencies.failureDetector.reset();
  }

  /** Every poll reads the signals too, so this is for a worker that has not polled all queues for a while. */
  async readSignalsIfDue(): Promise<void> {
    const matters = this.dependencies.pool.count > 0 || this.activeQueues().some(({ canClaim }) => canClaim);
    if (this.signalsDueIn === 0 && matters) {
      await this.readSignals();
    }
  }

  async readSignals(): Promise<void> {
    const names = this.queues.map(({ name }) => name);
    const { failureDetector, engine } = this.dependencies;
    const withMissing = failureDetector.isDue;
    const since = performance.now();
    const options = { purpose: 'read signals', readOnly: true };
    const signals = await engine.execute((dialect) => findSignals(dialect, names, withMissing), options);
    this.applySignals(signals, this.queues, since);
  }

  /**
   * @param queues those whose modes were read. Those of the others are read before the next claim.
   * @param since when the statement was sent.
   */
  private applySignals(
    { modes, cancelled, workers }: Signals,
    queues: readonly QueueClaimState[],
    since: number,
  ): void {
    if (queues.length === this.queues.length) {
      this.signalsReadAt = performance.now();
    }
    for (const queue of queues) {
      queue.mode = modes.get(queue.name) ?? 'open';
    }
    this.dependencies.pool.cancelJobs(cancelled);
    const pollIn = workers && this.dependencies.failureDetector.applyPoll(workers, since);
    if (pollIn !== undefined) {
      this.schedule.pollWithin(pollIn);
    }
  }

  /**
   * Polls the active queues, full ones too: a worker that is never idle would otherwise not see the jobs before its
   * low-water mark. While everything is full the claimer sleeps and does not poll either.
   */
  async pollIfDue(isStopped: () => boolean): Promise<void> {
    if (this.pollDueIn > 0) {
      return;
    }
    const queues = this.activeQueues();
    const requests = queues.map((queue) => queue.beginPoll());
    this.schedule.beginPoll();
    const withMissing = this.dependencies.failureDetector.isDue;
    const since = performance.now();
    const { results, signals } = await this.dependencies.engine.execute(
      (dialect) => pollQueues(dialect, requests, withMissing),
      { purpose: 'poll for jobs', readOnly: true },
    );
    this.applySignals(signals, queues, since);
    this.schedule.onPolled(
      since,
      results.some((result, index) => queues[index]?.isClaimable(result)),
    );
    for (const [index, result] of results.entries()) {
      const queue = queues[index] as QueueClaimState;
      queue.applyPoll(result, requests[index]?.limit ?? 0);
      // The jobs of an uncertain claim will be ready again.
      if (!this.uncertainClaims.hasAny && queue.becomesDrained(result)) {
        this.dependencies.onDrained(queue.name);
      }
      if (!isStopped()) {
        await this.promoteIfDue(queue, result);
      }
    }
  }

  /** Promotes one batch: there may be a million due jobs, and other queues, or a stop, wait for this loop. */
  private async promoteIfDue(queue: QueueClaimState, { dueIn }: PollResult): Promise<void> {
    if (dueIn === undefined) {
      return;
    }
    if (dueIn > 0) {
      this.schedule.pollWithin(dueIn);
    } else if ((await this.dependencies.promote(queue.name)).ids.length > 0) {
      queue.requestTenantPoll();
      this.schedule.pollWithin(0);
    }
    // Otherwise another process has locked them; the next poll comes anyway.
  }
}
