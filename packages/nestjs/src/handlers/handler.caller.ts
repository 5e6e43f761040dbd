import { ContextIdFactory, type ExternalContextCreator } from '@nestjs/core';
import { type AnyJobDefinition, type JobContext, JobParkedError } from '@tablequeue/typeorm';
import { rejectWhenParked } from '@tablequeue/typeorm/internal';
import { isObservable, lastValueFrom } from 'rxjs';

import { QUEUE_CONTEXT_TYPE } from '../context/queue-execution.context.js';
import { type HandlerArguments, openRequest } from '../context/queue.request.js';
import { callAsCurrentJob, isCurrentJobUsed } from '../logging/current-job.log.js';
import { ARGUMENTS_METADATA } from '../table-queue.constants.js';
import type { DecoratedMethod } from './decorated-method.scanner.js';
import type { Enhancers } from './handler.enhancers.js';
import { argumentsFactory, hasParameterDecorators, makesSecondArgument } from './handler.arguments.js';
import type { ContextId, HandlerHost, HandlerInstance } from './handler.host.js';
import { identifyClass } from './nest.metadata.js';

/** What the worker calls. */
export type HandlerCall = (...args: HandlerArguments) => unknown;

/** Makes a call of a method of an instance. */
type Bind = (instance: HandlerInstance, contextId?: ContextId) => HandlerCall;

/** What Nest runs around a method. */
interface Surroundings {
  readonly isEmpty: boolean;
  readonly hasFilters: boolean;
  /** Whether Nest makes the arguments: pipes and parameter decorators have it do so. */
  readonly makesArguments: boolean;
}

/** Turns decorated methods into handler functions: with the right instance, and with the enhancers around it. */
export class HandlerCalls {
  constructor(
    private readonly creator: ExternalContextCreator,
    private readonly enhancers: Enhancers,
  ) {}

  /** @throws UnreachableHandlerError */
  of(host: HandlerHost, decorated: DecoratedMethod, definition: AnyJobDefinition): HandlerCall {
    const call = this.callOf(host, decorated, definition);
    return (...args) => {
      // Lines of a batch handler are about all of its jobs.
      const job = isCurrentJobUsed() ? args[1] : undefined;
      return job ? callAsCurrentJob(job, () => call(...args)) : call(...args);
    };
  }

  private callOf(host: HandlerHost, decorated: DecoratedMethod, definition: AnyJobDefinition): HandlerCall {
    this.enhancers.assertReached(host, decorated);
    const around = this.surroundingsOf(host, decorated);
    const bind = around.isEmpty ? bindBare(decorated) : this.bindIn(around, host, decorated);
    if (host.isPerAttempt) {
      return callPerAttempt(host, bind, definition);
    }
    const call = bind(host.instance);
    return around.isEmpty
      ? (...args) => settle(call(...args))
      : (...args) => {
          openRequest(definition, args);
          return settle(call(...args));
        };
  }

  private surroundingsOf(host: HandlerHost, decorated: DecoratedMethod): Surroundings {
    const has = (kind: Parameters<Enhancers['has']>[0]) => this.enhancers.has(kind, host, decorated);
    const hasFilters = has('filters');
    const makesArguments = has('pipes') || hasParameterDecorators(host.type, decorated.name);
    return {
      hasFilters,
      makesArguments,
      isEmpty: !hasFilters && !makesArguments && !has('guards') && !has('interceptors'),
    };
  }

  private bindIn({ hasFilters, makesArguments }: Surroundings, host: HandlerHost, { name }: DecoratedMethod): Bind {
    identifyClass(host.type);
    const create = (
      callback: HandlerCall,
      instance: HandlerInstance,
      contextId: ContextId | undefined,
      job?: JobContext,
    ) => {
      const call = this.creator.create(
        instance,
        rejectingWhenParked(callback, job) as (...args: unknown[]) => unknown,
        name,
        ARGUMENTS_METADATA,
        makesArguments ? argumentsFactory : undefined,
        contextId,
        host.id,
        // Without a filter Nest would log each failed attempt as an error, snoozed jobs too.
        { guards: true, interceptors: true, filters: false },
        QUEUE_CONTEXT_TYPE,
      ) as HandlerCall;
      return hasFilters ? this.withFilters(call, callback, instance, contextId, host) : call;
    };
    if (!makesArguments) {
      return (instance, contextId) => create(methodOf(instance, name), instance, contextId);
    }
    const takesJob = !makesSecondArgument(host.type, name);
    return (instance, contextId) => {
      const method = methodOf(instance, name);
      // Nest passes every argument it creates through the pipes. The job must not go through them.
      return (...args) => create(takesJob ? withJob(method, args[1]) : method, instance, contextId, args[1])(...args);
    };
  }

  /** Runs the filters apart from the rest, so that the error that they catch is known afterwards. */
  private withFilters(
    call: HandlerCall,
    callback: HandlerCall,
    instance: HandlerInstance,
    contextId: ContextId | undefined,
    host: HandlerHost,
  ): HandlerCall {
    const filtered = (rejecting: HandlerCall) =>
      this.creator.create(
        instance,
        Object.setPrototypeOf(rejecting, callback) as (...args: unknown[]) => unknown,
        FILTERS_ONLY,
        undefined,
        undefined,
        contextId,
        host.id,
        { guards: false, interceptors: false, filters: true },
        QUEUE_CONTEXT_TYPE,
      ) as HandlerCall;
    return async (...args) => {
      try {
        return await call(...args);
      } catch (thrown) {
        if (thrown instanceof JobParkedError) {
          throw thrown;
        }
        return rethrowUnhandled(thrown, () => filtered(() => Promise.reject(thrown))(...args));
      }
    };
  }
}

/** No method has this name: Nest keeps the pipes of a method by its name, and they have run already. */
const FILTERS_ONLY = '(filters)';

/**
 * The value of exception filters for an error. Filters that return nothing have not handled it, asynchronous ones
 * neither. The error becomes the cause of one that a filter throws instead: a filter written for HTTP does, because
 * there is no response.
 */
async function rethrowUnhandled(thrown: unknown, filter: () => unknown): Promise<unknown> {
  let value: unknown;
  try {
    value = await filter();
  } catch (error) {
    if (error !== thrown && error instanceof Error && error.cause === undefined) {
      error.cause = thrown;
    }
    throw error;
  }
  if (value === undefined) {
    throw thrown;
  }
  return value;
}

/** Without enhancers the method is called directly: Nest's context would cost 0.4 µs. */
function bindBare({ name }: DecoratedMethod): Bind {
  return (instance) => (payloadOrJobs, job) => methodOf(instance, name).call(instance, payloadOrJobs, job);
}

/** One instance for each attempt, or for each call of a batch handler. Nothing keeps it when the call has ended. */
function callPerAttempt(host: HandlerHost, bind: Bind, definition: AnyJobDefinition): HandlerCall {
  return async (...args) => {
    const request = openRequest(definition, args);
    const contextId = ContextIdFactory.getByRequest(request);
    const instance = await host.resolve(request, contextId);
    return settle(bind(instance, contextId)(...args));
  };
}

/**
 * A method whose promise rejects when its job starts to wait, so that interceptors can end. It has the metadata of the
 * original.
 *
 * @param job its job, if that is not its second argument.
 */
function rejectingWhenParked(method: HandlerCall, job: JobContext | undefined): HandlerCall {
  const call = function (this: unknown, ...args: unknown[]): unknown {
    return rejectWhenParked(job ?? args[1], Reflect.apply(method, this, args));
  };
  Object.defineProperty(call, 'name', { value: method.name });
  return Object.setPrototypeOf(call, method) as HandlerCall;
}

/** A method that gets this job as its second argument and has the metadata of the original. */
function withJob(method: HandlerCall, job: JobContext | undefined): HandlerCall {
  const call = function (this: unknown, ...[payload, , ...others]: unknown[]): unknown {
    return Reflect.apply(method, this, [payload, job, ...others]);
  };
  Object.defineProperty(call, 'name', { value: method.name });
  return Object.setPrototypeOf(call, method) as HandlerCall;
}

function methodOf(instance: HandlerInstance, name: string): HandlerCall {
  return instance[name] as HandlerCall;
}

/** Waits for an observable, as Nest does everywhere: its last value counts. */
function settle(result: unknown): unknown {
  if (result instanceof Promise) {
    return result.then(lastOf);
  }
  return lastOf(result);
}

function lastOf(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result) : result;
}
