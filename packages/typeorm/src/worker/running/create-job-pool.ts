import type { Engine } from '../../engine/engine.js';
import type { QueueLogger } from '../../logger.js';
import type { EndedJobs } from '../../queue/jobs/ended-jobs.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { EndedJob } from '../../store/base/jobs/ended-job.js';
import type { TableQueue } from '../../queue/table-queue.js';
import type { JobCompleter } from '../completing/job-completer.js';
import type { ThroughputCounter } from '../completing/throughput-counter.js';
import type { WorkerEventEmitter } from '../events/worker-events.js';
import type { JobHandler } from '../handlers/job-handler.js';
import { StepRecorder } from '../durable/step-recorder.js';
import { reportOutcomes } from './instrumented-calls.js';
import { JobExecutor } from './job-executor.js';
import { JobPool } from './job-pool.js';
import { OutcomeEvents } from './outcome-events.js';
import type { PoisonIsolation } from './poison-isolation.js';
import { ProgressWriter } from '../completing/progress-writer.js';
import { LogWriter } from '../logging/log-writer.js';

/** What differs between a worker and the testing drain. */
export interface JobPoolOptions {
  readonly queue: TableQueue;
  readonly handlers: ReadonlyMap<string, JobHandler>;
  /** The engine of transactional handlers and steps. */
  readonly application: Engine;
  /** The engine of the worker. */
  readonly engine: Engine;
  /** Whether durable runs must end at their next durable call. Default: never. */
  readonly isStopping?: () => boolean;
  /** Whether durable runs end behind the first step that they store. Default: false. */
  readonly endsAfterEachStep?: boolean;
  /** The engine that stores progress and logs while a job runs; without one they are stored at its end. */
  readonly progressEngine: Engine | undefined;
  readonly completer: JobCompleter;
  readonly endedJobs: EndedJobs;
  readonly poisonIsolation: PoisonIsolation;
  readonly throughput?: ThroughputCounter;
  readonly events: WorkerEventEmitter;
  readonly logger: QueueLogger;
  /** Receives the errors of attempts and outcomes. Default: `logger`. */
  readonly outcomeLogger?: QueueLogger;
}

/** Wires a pool: what runs a claimed job up to its stored outcome. */
export function createJobPool(options: JobPoolOptions): JobPool {
  const { queue, handlers, application, engine, progressEngine, completer, endedJobs } = options;
  const { events, logger, outcomeLogger = logger, isStopping = () => false } = options;
  const outcomes = { maxResultBytes: queue.maxPayloadBytes, codecs: queue.codecs, logger, redact: queue.redact };
  const encoderOf = ({ name }: Pick<ClaimedJob, 'name'>) => {
    const handler = handlers.get(name);
    return handler && queue.codecs.encoderFor(handler.definition);
  };
  const progress = new ProgressWriter(progressEngine, outcomes, encoderOf);
  const logs = new LogWriter(engine, outcomes, progressEngine !== undefined, encoderOf);
  const recorder = new StepRecorder(engine, outcomeLogger);
  const { instrumentation } = queue;
  if (instrumentation) {
    reportOutcomes(instrumentation, events);
  }
  const onFinished = (job: EndedJob, id: string) => {
    queue.waits.onJobFinished(id);
    endedJobs.onEnded(job);
  };
  return new JobPool({
    executor: new JobExecutor({
      handlers,
      application,
      progress,
      outcomes,
      outcomeLogger,
      instrumentation,
      durable: {
        engine,
        application,
        recorder,
        outcomes,
        instrumentation,
        events,
        enqueuer: queue.enqueuer,
        isStopping,
        endsAfterEachStep: options.endsAfterEachStep ?? false,
      },
    }),
    completer,
    recorder,
    progress,
    logs,
    poisonIsolation: options.poisonIsolation,
    outcomeEvents: new OutcomeEvents(onFinished, events, outcomeLogger),
    events,
    throughput: options.throughput,
    logger: outcomeLogger,
  });
}
