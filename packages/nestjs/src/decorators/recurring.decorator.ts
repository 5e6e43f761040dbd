import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { BatchJob, JobContext, ScheduleOptions } from '@tablequeue/typeorm';

import { RECURRING_METADATA } from '../table-queue.constants.js';

/** What `@Recurring` takes. */
export interface RecurringOptions<Payload> extends ScheduleOptions {
  /** The payload of each job: what the method takes, alone or in a batch. Where a schema makes something else of it, use `recurring.set`. */
  readonly payload?: Payload;
}

/** What the decorator leaves on a method, for each time it stands there. */
export interface RecurringMetadata {
  /** Undefined for the name of the job. */
  readonly name: string | undefined;
  readonly options: RecurringOptions<unknown>;
}

type RecurringMethod<Payload> =
  ((payload: Payload, job: JobContext) => unknown) | ((jobs: readonly BatchJob<Payload>[]) => unknown);

type RecurringDecorator<Payload> = <Method extends RecurringMethod<Payload>>(
  target: object,
  property: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Enqueues the job of a `@QueueHandler` method again and again: by a cron expression, or at an interval. Each tick is
 * fired once, however many processes run; the job is then run at least once, by any of them.
 *
 * The schedule is set when the application starts, and options that are wrong stop the start. One that is paused stays
 * paused. When the decorator is taken away the schedule goes on, because older processes may still run: see
 * `recurring.remove`.
 *
 * @param name the name of the schedule; needed where a job has several. Default: the name of the job.
 */
export function Recurring<Payload = undefined>(options: RecurringOptions<Payload>): RecurringDecorator<Payload>;
export function Recurring<Payload = undefined>(
  name: string,
  options: RecurringOptions<Payload>,
): RecurringDecorator<Payload>;
export function Recurring<Payload>(
  ...given: [RecurringOptions<Payload>] | [string, RecurringOptions<Payload>]
): RecurringDecorator<Payload> {
  const [name, options] = given.length === 1 ? [undefined, given[0]] : given;
  return (target, property, descriptor): void => {
    const method = descriptor.value as (...args: unknown[]) => unknown;
    const others = new Reflector().get<RecurringMetadata[] | undefined>(RECURRING_METADATA, method) ?? [];
    const metadata: RecurringMetadata[] = [{ name, options }, ...others];
    SetMetadata(RECURRING_METADATA, metadata)(target, property, descriptor as PropertyDescriptor);
  };
}
