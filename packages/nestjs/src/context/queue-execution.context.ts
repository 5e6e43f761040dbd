import type { ArgumentsHost, ContextType } from '@nestjs/common';
import type { AnyJobDefinition, JobContext } from '@tablequeue/typeorm';

import { QueueContextError } from '../errors/index.js';
import { QueueBatchRequest, QueueRequest, requestOf } from './queue.request.js';

/** The value of `context.getType()` while a handler runs. */
export const QUEUE_CONTEXT_TYPE = 'tablequeue';

/** The type for `context.getType<QueueContextType>()` in guards and the like that serve HTTP requests and jobs. */
export type QueueContextType = ContextType | typeof QUEUE_CONTEXT_TYPE;

/** The call of a handler, for guards, interceptors, filters and parameter decorators. */
export class QueueExecutionContext {
  private constructor(private readonly request: QueueRequest | QueueBatchRequest) {}

  /**
   * @param host the `ExecutionContext` or `ArgumentsHost` that Nest gives.
   * @throws QueueContextError where it belongs to no job: check `getType()` first.
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

  /** The definition of the handler's jobs. */
  getDefinition(): AnyJobDefinition {
    return this.request.definition;
  }

  /** The jobs of the call: one, or those of a batch, each a `BatchJob` then. */
  getJobs(): readonly JobContext[] {
    return this.request instanceof QueueBatchRequest ? this.request.jobs : [this.request.job];
  }

  /** @throws QueueContextError in a call of a batch handler. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows its handlers
  getJob<Job extends JobContext = JobContext>(): Job {
    return this.single('getJob').job as Job;
  }

  /**
   * The payload as the definition validated it, before pipes.
   *
   * @throws QueueContextError in a call of a batch handler.
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows its handlers
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
