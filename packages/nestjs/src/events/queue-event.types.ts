import type { JobInfo, WorkerEvents } from '@tablequeue/typeorm';
import type { UnhandledReason } from '@tablequeue/typeorm/internal';

/** The name of a worker's event: see `WorkerEvents` for their meaning. */
export type QueueEventName = keyof WorkerEvents;

interface OfJob {
  readonly job: JobInfo;
}

interface OfError extends OfJob {
  readonly error: Error;
}

interface OfDelay extends OfJob {
  /** The time until the next attempt, in ms. */
  readonly delay: number;
}

interface EventDetails {
  readonly started: OfJob;
  readonly succeeded: OfJob;
  readonly failed: OfError;
  readonly retried: OfError & OfDelay;
  readonly snoozed: OfDelay;
  readonly parked: OfJob & {
    /** The time until the first wait is due, in ms, about; undefined if only a signal wakes the job up. */
    readonly delay: number | undefined;
    /** The names of its open waits. */
    readonly waits: readonly string[];
  };
  readonly stepDone: OfJob & {
    /** The name of the step. */
    readonly step: string;
    /** How long it took, in ms. */
    readonly took: number;
  };
  readonly stepFailed: OfError & {
    /** The name of the step. */
    readonly step: string;
    /** The time until it is tried again, in ms; undefined if it has failed for good. */
    readonly delay: number | undefined;
  };
  readonly unhandled: OfDelay & { readonly reason: UnhandledReason };
  readonly cancelled: OfJob;
  readonly expired: OfJob;
  readonly returned: OfJob;
  readonly lost: OfJob;
  readonly stalled: OfJob;
  readonly drained: object;
}

/**
 * An event with its details: `QueueEvent<'failed'>` has `job` and `error`. `QueueEvent` is any event; `type`
 * discriminates.
 */
export type QueueEvent<Name extends QueueEventName = QueueEventName> = {
  [Each in Name]: { readonly type: Each; readonly queue: string } & EventDetails[Each];
}[Name];

type Details = { [Name in QueueEventName]: (...args: WorkerEvents[Name]) => { queue: string } & EventDetails[Name] };

const ofJob = (job: JobInfo) => ({ queue: job.queue, job });

const DETAILS: Details = {
  started: ofJob,
  succeeded: ofJob,
  failed: (job, error) => ({ ...ofJob(job), error }),
  retried: (job, error, delay) => ({ ...ofJob(job), error, delay }),
  snoozed: (job, delay) => ({ ...ofJob(job), delay }),
  parked: (job, delay, waits) => ({ ...ofJob(job), delay, waits }),
  stepDone: (job, step, took) => ({ ...ofJob(job), step, took }),
  stepFailed: (job, step, error, delay) => ({ ...ofJob(job), step, error, delay }),
  unhandled: (job, delay, reason) => ({ ...ofJob(job), delay, reason }),
  cancelled: ofJob,
  expired: ofJob,
  returned: ofJob,
  lost: ofJob,
  stalled: ofJob,
  drained: (queue) => ({ queue }),
};

export const QUEUE_EVENT_NAMES = Object.keys(DETAILS) as readonly QueueEventName[];

/** Makes the event of a worker's event name and arguments. */
export function toQueueEvent<Name extends QueueEventName>(type: Name, args: WorkerEvents[Name]): QueueEvent<Name> {
  return { type, ...DETAILS[type](...args) } as QueueEvent<Name>;
}
