import type { JobDefinition } from '../../definition/job-definition.js';
import type { JobOptions } from '../enqueue/enqueue-options.js';

/** A group that was enqueued: what callbacks may be told of it. */
export interface GroupIds {
  /** The group's id, a UUIDv7: for `find`. */
  readonly id: string;
  /** The ids of its members, in the order given. */
  readonly jobs: readonly string[];
}

/** One member of a group. */
export type GroupJob<Input> = Omit<JobOptions, 'unique'> & {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what its handler gets does not matter here
  readonly definition: JobDefinition<Input, any>;
} & (undefined extends Input ? { readonly payload?: Input } : { readonly payload: Input });

/** A callback: a job that waits for a group. Its payload may be made from the group's ids. */
export type GroupCallback<Input> = Pick<JobOptions, 'priority' | 'key' | 'tenant'> & {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what its handler gets does not matter here
  readonly definition: JobDefinition<Input, any>;
} & (undefined extends Input
    ? { readonly payload?: Input | ((group: GroupIds) => Input) }
    : { readonly payload: Input | ((group: GroupIds) => Input) });

/** The jobs that wait for a group: at least one. */
export interface GroupCallbacks<Succeeded, Failed, Done> {
  /** Runs when all members have succeeded; cancelled as soon as one has failed for good or was cancelled. */
  readonly onSuccess?: GroupCallback<Succeeded>;
  /** Runs as soon as the first member has failed for good or was cancelled; cancelled when all have succeeded. */
  readonly onFailure?: GroupCallback<Failed>;
  /** Runs when all members have ended, however. */
  readonly onComplete?: GroupCallback<Done>;
}

/** A group as it is given to `enqueue`: jobs of any definitions and queues, and the jobs that wait for them. */
export interface GroupOptions<Inputs extends readonly unknown[], Succeeded, Failed, Done> extends GroupCallbacks<
  Succeeded,
  Failed,
  Done
> {
  /** Its members: at least one. A group made by `jobGroup` stands for its `onSuccess`, or its `onComplete`. */
  readonly jobs: readonly [...{ [Index in keyof Inputs]: GroupJob<Inputs[Index]> | JobGroup }];
}

declare const checked: unique symbol;

/** A group that is a member of another one. */
export interface JobGroup {
  readonly [checked]: true;
}

/**
 * A group inside another one. What stands for it there is its callback `onSuccess`, or `onComplete` where it has none of
 * the first: the outer group waits for that job, and a `onSuccess` that is cancelled counts as cancelled there too.
 * Nothing is checked before it is enqueued.
 */
export function jobGroup<const Inputs extends readonly unknown[], Succeeded, Failed, Done>(
  options: GroupOptions<Inputs, Succeeded, Failed, Done>,
): JobGroup {
  return options as unknown as JobGroup;
}

/** The same without types, as it is read. */
export interface AnyGroup {
  readonly jobs: readonly unknown[];
  readonly onSuccess?: unknown;
  readonly onFailure?: unknown;
  readonly onComplete?: unknown;
}

/** The names of the callbacks. */
export const CALLBACKS = ['onSuccess', 'onFailure', 'onComplete'] as const;
