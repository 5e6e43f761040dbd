import type { DueTime } from '../../../definition/due-time.js';
import type { Codec } from '../../../codec/codec.js';
import type { JobOrder } from '../../../definition/order.js';
import type { UniqueKey } from '../../../definition/unique-policy.js';

export interface NewJob {
  readonly id: Buffer;
  readonly queue: string;
  readonly name: string;
  readonly key: string | null;
  /** Its text as it is stored; null for a job without a payload. */
  readonly payload: string | null;
  /** The codec that has yet to encode the payload. */
  readonly encoder?: Codec | undefined;
  readonly payloadVersion: number;
  readonly priority: number;
  readonly due: DueTime;
  /** How long after it is due it expires if it has not started, in ms. Left out: never. */
  readonly expiresIn?: number | undefined;
  readonly unique: UniqueKey | null;
  readonly order: JobOrder | null;
  /** The group it is a member of. Left out: none. */
  readonly groupId?: Buffer;
  /** Whether it waits for a group to complete before it is due. */
  readonly waits?: boolean;
  readonly tenant: string | null;
  /** The trace context it is enqueued in. Left out: none. */
  readonly trace?: string | undefined;
}

/** The value that all jobs have; undefined where they differ, or there are none. */
export function sharedValue(jobs: readonly NewJob[], valueOf: (job: NewJob) => string): string | undefined {
  const [first] = jobs;
  const value = first && valueOf(first);
  return jobs.every((job) => valueOf(job) === value) ? value : undefined;
}
