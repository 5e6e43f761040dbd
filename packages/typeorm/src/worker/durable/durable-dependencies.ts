import type { AnyJobDefinition } from '../../definition/job-definition.js';
import type { Engine } from '../../engine/engine.js';
import type { Instrumentation } from '../../instrumentation/instrumentation.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';
import type { JobInfo } from '../handlers/job-context.js';
import type { OutcomeSettings } from '../completing/outcome-settings.js';
import type { AttemptResult } from '../completing/outcome.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { Enqueuer } from '../../queue/enqueue/enqueuer.js';
import type { StepRecorder } from './step-recorder.js';

/** What the durable runs of a worker work with. */
export interface DurableDependencies {
  /** The engine of the worker. */
  readonly engine: Engine;
  /** The engine of the application's data source, for transactional steps. */
  readonly application: Engine;
  readonly recorder: StepRecorder;
  readonly outcomes: OutcomeSettings;
  readonly instrumentation: Instrumentation | undefined;
  readonly events: WorkerEventEmitter;
  /** What starts children. */
  readonly enqueuer: Pick<Enqueuer, 'prepare' | 'send' | 'onStored'>;
  /** Whether the worker stops: each run then ends at its next durable call. */
  readonly isStopping: () => boolean;
  /** Whether each run ends behind the first step that it stores: in tests, to run the handler again. */
  readonly endsAfterEachStep: boolean;
}

/** The attempt that a run belongs to. */
export interface RunAttempt extends JobInfo {
  readonly signal: AbortSignal;
  readonly abortReason: unknown;
  abort(reason: Error): void;
  /** The run ends before its handler. */
  endEarly(outcome: AttemptResult): void;
}

/** A run of a job. */
export interface RunContext {
  readonly job: ClaimedJob;
  readonly attempt: RunAttempt;
  readonly definition: AnyJobDefinition;
  /** The outcome of an attempt that was aborted. */
  readonly outcomeOfAbort: () => AttemptResult;
}
