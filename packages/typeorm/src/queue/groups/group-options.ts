import type { JobDefinition } from '../../definition/job-definition.js';
import type { JobOptions } from '../enqueue/enqueue-options.js';

/** The ids of a group, for the payload of its callbacks. */
export interface GroupIds {
  /** The id of the group, a UUIDv7, for `groups.find`. */
  readonly id: string;
  /** The ids of its members, in the given order. */
  readonly jobs: readonly string[];
}

/** A member of a group: a definition, its payload, and options. */
export type GroupJob<Input> = Omit<JobOptions, 'unique'> & {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any payload of its handler
  readonly definition: JobDefinition<Input, any>;
} & (undefined extends Input ? { readonly payload?: Input } : { readonly payload: Input });

/** A callback: a job that waits for the group. Its payload may be a function of the group's ids. */
export type GroupCallback<Input> = Pick<JobOptions, 'priority' | 'key' | 'tenant'> & {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- any payload of its handler
  readonly definition: JobDefinition<Input, any>;
} & (undefined extends Input
    ? { readonly payload?: Input | ((group: GroupIds) => Input) }
    : { readonly payload: Input | ((group: GroupIds) => Input) });

/** The callbacks of a group: at least one. */
export interface GroupCallbacks<Succeeded, Failed, Done> {
  /** Runs when all members have succeeded. Cancelled as soon as a member fails for good, expires or is cancelled. */
  readonly onSuccess?: GroupCallback<Succeeded>;
  /** Runs as soon as a member fails for good, expires or is cancelled. Cancelled when all have succeeded. */
  readonly onFailure?: GroupCallback<Failed>;
  /** Runs when all members have finished, whatever their outcome. */
  readonly onComplete?: GroupCallback<Done>;
}

/** A group for `groups.enqueue`: jobs of any definitions and queues, and the callbacks that wait for them. */
export interface GroupOptions<Inputs extends readonly unknown[], Succeeded, Failed, Done> extends GroupCallbacks<
  Succeeded,
  Failed,
  Done
> {
  /** The members: at least one. A nested group (`jobGroup`) is represented by its `onSuccess`, or its `onComplete`. */
  readonly jobs: readonly [...{ [Index in keyof Inputs]: GroupJob<Inputs[Index]> | JobGroup }];
}

declare const checked: unique symbol;

/** A group that is a member of another group. Made by `jobGroup`. */
export interface JobGroup {
  readonly [checked]: true;
}

/**
 * Nests a group in another one. The outer group waits for its `onSuccess` callback, or for `onComplete` if it has no
 * `onSuccess`. If that callback is cancelled it counts as a cancelled member of the outer group.
 *
 * The options are checked when the outer group is enqueued.
 */
export function jobGroup<const Inputs extends readonly unknown[], Succeeded, Failed, Done>(
  options: GroupOptions<Inputs, Succeeded, Failed, Done>,
): JobGroup {
  return options as unknown as JobGroup;
}

/** A group without its types. */
export interface AnyGroup {
  readonly jobs: readonly unknown[];
  readonly onSuccess?: unknown;
  readonly onFailure?: unknown;
  readonly onComplete?: unknown;
}

export const CALLBACKS = ['onSuccess', 'onFailure', 'onComplete'] as const;
