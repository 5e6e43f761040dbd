import type { AnyJobDefinition, BatchJob, JobContext } from '@tablequeue/typeorm';

/**
 * One call of a handler that gets one job: what `@Inject(REQUEST)` gives to request-scoped providers of its attempt. In
 * a provider that serves HTTP requests too, `request instanceof QueueRequest` tells them apart.
 */
export class QueueRequest<Payload = unknown> {
  constructor(
    readonly definition: AnyJobDefinition,
    /** As the job's definition validated it. What pipes make of it, only the method gets. */
    readonly payload: Payload,
    /** With `manager` where the handler is transactional: a `TransactionalJobContext`. */
    readonly job: JobContext,
  ) {}
}

/** One call of a batch handler: what `@Inject(REQUEST)` gives to its request-scoped providers. */
export class QueueBatchRequest<Payload = unknown> {
  constructor(
    readonly definition: AnyJobDefinition,
    readonly jobs: readonly BatchJob<Payload>[],
  ) {}
}

/** By the argument of the call that no other call has: the job's context, or the array of the batch. */
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
