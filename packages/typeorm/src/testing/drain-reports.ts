import { uuidFromBytes } from '../definition/job-id.js';
import type { QueueLogger } from '../logger.js';
import type { ClaimedJob } from '../store/base/jobs/claimed-job.js';
import { storedValue } from '../store/base/jobs/stored-value.js';
import type { JobHandler, JobInfo } from '../worker/handlers/job-handler.js';
import { unhandledOutcome } from '../worker/running/unhandled-jobs.js';
import type { WorkerEventEmitter } from '../worker/events/worker-events.js';
import type { DrainedJob, DrainedOutcome } from './drained-job.js';
import { TestingStateError, UnhandledJobError } from './errors/index.js';

/** Collects the outcomes of a drain's attempts from the worker's events. */
export class DrainReports {
  readonly all: DrainedJob[] = [];
  /** Keeps errors for the errors of the drain, and passes warnings on. */
  readonly logger: QueueLogger;
  private readonly open = new Map<string, ClaimedJob>();
  private lastError = 'nothing was reported';

  constructor(
    events: WorkerEventEmitter,
    private readonly handlers: ReadonlyMap<string, JobHandler>,
    logger: QueueLogger,
  ) {
    this.logger = {
      log: () => undefined,
      warn: (message) => logger.warn(message),
      error: (message) => {
        this.lastError = message;
      },
    };
    events.on('failed', (job, error) => this.add(job, 'failed', error));
    events.on('retried', (job, error) => this.add(job, 'retried', error));
    events.on('unhandled', (job) => this.add(job, 'unhandled', this.whyUnhandled(job)));
    for (const outcome of ['succeeded', 'snoozed', 'parked', 'cancelled', 'expired', 'returned', 'lost'] as const) {
      events.on(outcome, (job: JobInfo) => this.add(job, outcome, undefined));
    }
  }

  /** A job is about to run. */
  expect(job: ClaimedJob): void {
    this.open.set(uuidFromBytes(job.id), job);
  }

  /** @throws TestingStateError if an attempt ended without an outcome. */
  assertComplete(): void {
    const [first] = this.open;
    if (first) {
      const [id, { name }] = first;
      throw new TestingStateError(`The outcome of job ${id} (${name}) could not be stored: ${this.lastError}`);
    }
  }

  private add({ id, name, queue, key, tenant, attempt }: JobInfo, outcome: DrainedOutcome, error?: Error): void {
    const text = this.open.get(id)?.payload;
    const payload = storedValue(text);
    this.open.delete(id);
    this.all.push({ id, name, queue, key, tenant, payload, attempt, outcome, error });
  }

  private whyUnhandled({ id, name }: JobInfo): Error {
    const job = this.open.get(id);
    const why = job && unhandledOutcome(job, this.handlers.get(name));
    return new UnhandledJobError(why?.kind === 'unhandled' ? why.text : `There is no handler for job "${name}".`);
  }
}
