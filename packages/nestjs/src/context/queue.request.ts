import type { AnyJobDefinition, BatchJob, JobContext } from '@tablequeue/typeorm';

/**
 * One call of a handler that gets one job. Request-scoped providers of its attempt get it by `@Inject(REQUEST)`. A
 * provider that serves HTTP requests too distinguishes them by `request instanceof QueueRequest`.
 */
export class QueueRequest<Payload = unknown> {
  constructor(
    readonly definition: AnyJobDefinition,
    /** The payload as the definition validated it, before pipes. */
    readonly payload: Payload,
    /** With `manager` where the handler is transactional: a `TransactionalJobContext`. */
    readonly job: JobContext,
  ) {}
}

/** One call of a batch handler. Its request-scoped providers get it by `@Inject(REQUEST)`. */
export class QueueBatchRequest<Payload = unknown> {
  constructor(
    readonly definition: AnyJobDefinition,
    readonly jobs: readonly BatchJob<Payload>[],
  ) {}
}

/** The key is the argument that no other call has: the job's context, or the array of the batch. */
const requests = new WeakMap<object, QueueRequest | QueueBatchRequest>();

/** Makes the request of a call with these arguments, so that `requestOf` finds it by them. */
export function openRequest(definition: AnyJobDefinition, args: HandlerArguments): QueueRequest | QueueBatchRequest {
  const [first, job] = args;
  const request = job
    ? new QueueRequest(definition, first, job)
    : new QueueBatchRequest(definition, first as readonly BatchJob<unknown>[]);
  requests.set(job ?? (first as object), request);
  return request;
}

/** The request of the call that has these arguments. */
export function requestOf([first, job]: readonly unknown[]): QueueRequest | QueueBatchRequest | undefined {
  const unique = job ?? first;
  return typeof unique === 'object' && unique !== null ? requests.get(unique) : undefined;
}

/** A payload and its job, or the jobs of a batch. */
export type HandlerArguments = readonly [payloadOrJobs: unknown, job?: JobContext];
