import type { JobDefinition } from '../../definition/job-definition.js';
import type { JobOptions } from '../../queue/enqueue/enqueue-options.js';

/** Options of a child: those of `enqueue` without `unique` and a transaction. */
export type ChildJobOptions = Omit<JobOptions, 'unique'>;

/** A child for `job.run` and `job.runAll`. Made by `child`. */
export interface ChildJob extends ChildJobOptions {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any payload
  readonly definition: JobDefinition<any, any>;
  readonly payload?: unknown;
}

/** How a child has ended. */
export type ChildOutcome<Result> =
  | { readonly id: string; readonly state: 'succeeded'; readonly result: Result }
  | { readonly id: string; readonly state: 'failed'; readonly error: string }
  | { readonly id: string; readonly state: 'cancelled' | 'expired' };

/** Makes a child for `job.run` and `job.runAll`: its definition, payload and options, checked when it is started. */
export function child<Input>(
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any payload of its handler
  definition: JobDefinition<Input, any>,
  payload: NoInfer<Input>,
  options: ChildJobOptions = {},
): ChildJob {
  return { ...options, definition, payload };
}
