import type { Engine } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import type { CallbackTrigger } from '../../queue/groups/callback-trigger.js';
import type { TableQueue } from '../../queue/table-queue.js';
import type { JobCompleter } from '../completing/job-completer.js';
import type { ThroughputCounter } from '../completing/throughput-counter.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';
import type { JobHandler } from '../handlers/job-handler.js';
import type { ClaimMutex } from './claim-mutex.js';
import { InstrumentedCalls } from './instrumented-calls.js';
import { JobExecutor } from './job-executor.js';
import { JobPool } from './job-pool.js';
import { OutcomeEvents } from './outcome-events.js';
import { OutcomePolicy } from './outcome-policy.js';
import { PoisonIsolation } from './poison-isolation.js';
import { ProgressWriter } from './progress-writer.js';
import { TimedOutAttempts } from './timed-out-attempts.js';
import { TransactionalAttempts } from './transactional-attempts.js';

/** What differs between a worker and the testing drain. */
export interface JobPoolOptions {
  readonly queue: TableQueue;
  readonly handlers: ReadonlyMap<string, JobHandler>;
  /** The engine of transactional handlers. */
  readonly application: Engine;
  /** The engine that stores progress while a job runs; without one it is stored with the outcome. */
  readonly progressEngine: Engine | undefined;
  readonly completer: JobCompleter;
  readonly callbacks: CallbackTrigger;
  readonly claimMutex: ClaimMutex;
  readonly throughput?: ThroughputCounter;
  readonly events: WorkerEventEmitter;
  readonly logger: QueueLogger;
  /** Receives the errors of attempts and outcomes. Default: `logger`. */
  readonly outcomeLogger?: QueueLogger;
}

/** Wires a pool: what runs a claimed job up to its stored outcome. */
export function createJobPool(options: JobPoolOptions): JobPool {
  const { queue, handlers, application, progressEngine, completer, callbacks, events, logger } = options;
  const { outcomeLogger = logger } = options;
  const progress = new ProgressWriter(progressEngine, queue.maxPayloadBytes, logger);
  const policy = new OutcomePolicy(queue.maxPayloadBytes, logger, queue.redact);
  const transactional = new TransactionalAttempts(application, policy, progress, outcomeLogger);
  const calls = queue.instrumentation && new InstrumentedCalls(queue.instrumentation, events);
  const onFinished = ({ groupId }: { readonly groupId: Buffer | null }, id: string) => {
    queue.waits.onJobFinished(id);
    callbacks.jobEnded(groupId);
  };
  return new JobPool({
    executor: new JobExecutor(handlers, transactional, policy, calls),
    completer,
    progress,
    poisonIsolation: new PoisonIsolation(options.claimMutex),
    timedOut: new TimedOutAttempts(outcomeLogger),
    outcomeEvents: new OutcomeEvents(onFinished, events, outcomeLogger),
    events,
    throughput: options.throughput,
  });
}
