import type { Engine } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { Batch } from '../../store/base/lane.js';
import type { ClaimMutex } from '../running/claim-mutex.js';
import type { FailureDetector } from '../liveness/failure-detector.js';
import type { Lease } from '../liveness/lease.js';
import type { QueueCapacity, WorkerCapacity } from '../running/capacity.js';

/** What a claimer works with. */
export interface ClaimerDependencies {
  readonly engine: Engine;
  readonly lease: Lease;
  readonly gate: ClaimMutex;
  readonly slots: readonly QueueCapacity[];
  /** The room for the jobs of all of them together. */
  readonly sharedRoom: WorkerCapacity;
  readonly deathWatch: FailureDetector;
  /** The longest wait of an idle claimer, in ms. */
  readonly pollInterval: number;
  readonly logger: QueueLogger;
  /** Takes a claimed job over; the claimer has taken its slot. */
  readonly onClaimed: (job: ClaimedJob, slots: QueueCapacity) => void;
  /** Whether jobs run that could be cancelled. */
  readonly hasRunning: () => boolean;
  /** Told of all jobs that are to end, here or elsewhere, after each look. */
  readonly onCancelled: (ids: readonly Buffer[]) => void;
  /** Whether one of these was among them the last time. */
  readonly mayBeCancelled: (jobs: readonly ClaimedJob[]) => boolean;
  /** Makes the first due jobs of a queue ready. */
  readonly promote: (queue: string) => Promise<Batch>;
  /** Told of each queue whose jobs have been run, when a look sees no more of them. */
  readonly onDrained: (queue: string) => void;
}
