import type { ArgumentsHost, ContextType } from '@nestjs/common';
import type { AnyJobDefinition, JobContext } from '@tablequeue/typeorm';

import { QueueContextError } from '../errors/index.js';
import { QueueBatchRequest, QueueRequest, requestOf } from './queue.request.js';

/** What `getType()` of the context says while a job is handled. */
export const QUEUE_CONTEXT_TYPE = 'tablequeue';

/** For `context.getType<QueueContextType>()` in what stands around HTTP requests and jobs alike. */
export type QueueContextType = ContextType | typeof QUEUE_CONTEXT_TYPE;

/** What guards, interceptors, filters and parameter decorators learn about the call of a handler. */
export class QueueExecutionContext {
  private constructor(private readonly request: QueueRequest | QueueBatchRequest) {}

  /**
   * @param host the `ExecutionContext` or `ArgumentsHost` that Nest gives.
   * @throws QueueContextError where it belongs to no job: look at `getType()` first.
   */
  static create(host: ArgumentsHost): QueueExecutionContext {
    const type = host.getType<QueueContextType>();
    const request = type === QUEUE_CONTEXT_TYPE ? requestOf(host.getArgs<unknown[]>()) : undefined;
    if (!request) {
      throw new QueueContextError(
        `This is a context of type "${type}", and not of a job. ` +
          'Ask for context.getType() === QUEUE_CONTEXT_TYPE before QueueExecutionContext.create(context).',
      );
    }
    return new QueueExecutionContext(request);
  }

  /** The definition the handler is for. */
  getDefinition(): AnyJobDefinition {
    return this.request.definition;
  }

  /** The jobs of the call: one, or those of a batch, each a `BatchJob` then. */
  getJobs(): readonly JobContext[] {
    return this.request instanceof QueueBatchRequest ? this.request.jobs : [this.request.job];
  }

  /** @throws QueueContextError in a call of a batch handler. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- who asks knows which handlers these are
  getJob<Job extends JobContext = JobContext>(): Job {
    return this.single('getJob').job as Job;
  }

  /**
   * The payload as the definition validated it, before pipes.
   *
   * @throws QueueContextError in a call of a batch handler.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- who asks knows which handlers these are
  getPayload<Payload = unknown>(): Payload {
    return this.single('getPayload').payload as Payload;
  }

  /** What `@Inject(REQUEST)` gives in this call. */
  getRequest(): QueueRequest | QueueBatchRequest {
    return this.request;
  }

  private single(method: string): QueueRequest {
    if (this.request instanceof QueueBatchRequest) {
      throw new QueueContextError(
        `${method} was called for a batch of "${this.request.definition.name}", which has many jobs. ` +
          'Use getJobs(), or the jobs of getRequest(), which have their payloads.',
      );
    }
    return this.request;
  }
}
