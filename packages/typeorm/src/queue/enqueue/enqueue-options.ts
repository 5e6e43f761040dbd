import { types } from 'node:util';

import { type Duration, toMilliseconds } from '../../duration.js';
import type { DueTime } from '../../definition/due-time.js';
import { assertKey, assertTenant } from '../../definition/names.js';
import { type UniqueOptions, type UniquePolicy, resolveUnique } from '../../definition/unique-policy.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { PRIORITY_RANGE } from '../../definition/priority-range.js';
import { LATEST_TIME } from '../../store/base/order/sort-key.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import { TRANSACTION_OPTIONS, type TransactionOptions, pickTransaction } from './caller-transaction.js';

/** Options of one job. */
export interface JobOptions {
  /**
   * Runs the job this long after it was stored: 0 ms to 100 years, by the database's clock. Not with `runAt`. Default:
   * 0.
   */
  readonly delay?: Duration;
  /** Runs the job at this time, before the year 2286; at once if it has passed. Not with `delay`. Default: at once. */
  readonly runAt?: Date;
  /**
   * How long the job may wait for its start, from when it is due: 1 ms to 100 years. A job that has not started by then
   * ends as `expired` and never runs. By the database's clock. Once started, it has no expiry time: retries and waits
   * do not count. Default: `expiresIn` of the definition.
   */
  readonly expiresIn?: Duration;
  /**
   * Jobs with a smaller number run first, within their queue and tenant: a whole number from -500 to 500. Between
   * tenants the round robin decides. Default: 0.
   */
  readonly priority?: number;
  /**
   * A label to find and cancel the job by, such as `order:42`: 1 to 191 characters. Jobs may share it. Default: none.
   */
  readonly key?: string;
  /** Stores the job only if no other job of its definition has its unique key. Default: `unique` of the definition. */
  readonly unique?: UniqueOptions;
  /**
   * The customer or account that the job is for: 1 to 191 characters. Workers run the tenants of a queue in a round
   * robin, however many jobs each has, and `control.limit` can limit the running jobs of each tenant. Jobs without a
   * tenant count as one tenant. Default: `tenant` of the definition.
   */
  readonly tenant?: string;
}

/** Options of `enqueue`. */
export interface EnqueueOptions extends JobOptions, TransactionOptions {}

/** A job of `enqueueMany`: its payload and options. The payload may be left out if it may be undefined. */
export type BulkJob<Input> = JobOptions &
  (undefined extends Input ? { readonly payload?: Input } : { readonly payload: Input });

/** The arguments of `enqueue` after the definition. The payload may be left out if it may be undefined. */
export type EnqueueArguments<Input> = undefined extends Input
  ? [payload?: Input, options?: EnqueueOptions]
  : [payload: Input, options?: EnqueueOptions];

/** The arguments of `publish` after the event. The payload may be left out if it may be undefined. */
export type PublishArguments<Input> = undefined extends Input
  ? [payload?: Input, transaction?: TransactionOptions]
  : [payload: Input, transaction?: TransactionOptions];

const JOB_OPTIONS = ['delay', 'runAt', 'expiresIn', 'priority', 'key', 'unique', 'tenant'];
const ENQUEUE_OPTIONS = [...JOB_OPTIONS, ...TRANSACTION_OPTIONS];

const BULK_JOB_OPTIONS = ['payload', ...JOB_OPTIONS];

export interface ResolvedJobOptions extends Pick<NewJob, 'due' | 'priority' | 'key'> {
  readonly unique: UniquePolicy | undefined;
  readonly tenant: string | undefined;
  /** In ms. */
  readonly expiresIn: number | undefined;
}

const AT_ONCE: DueTime = { delay: 0 };

/**
 * Rejects a job of `enqueueMany` that has other properties than a payload and options. The error shows no payload.
 *
 * @throws InvalidOptionError, UnknownOptionError
 */
export function assertBulkJob(job: unknown, path: string): void {
  if (typeof job !== 'object' || job === null || Array.isArray(job)) {
    const kind = Object.prototype.toString.call(job);
    throw new InvalidOptionError(path.slice(0, -1), kind, 'an object with the payload of the job: { payload: … }');
  }
  const advice = 'payload' in job ? undefined : 'Wrap the payload of each job: { payload: { … } }.';
  assertKnownOptions(job, BULK_JOB_OPTIONS, path, advice);
}

/** Checks the options of a job and fills in the defaults. Their names were checked before. */
export function resolveJobOptions(options: JobOptions, path = ''): ResolvedJobOptions {
  const { delay, runAt, expiresIn, priority, key, unique, tenant } = options;
  if (delay !== undefined && runAt !== undefined) {
    throw new InvalidOptionError(`${path}runAt`, runAt, 'left out where "delay" is given');
  }
  if (runAt !== undefined && !(types.isDate(runAt) && Math.abs(runAt.getTime()) < LATEST_TIME)) {
    throw new InvalidOptionError(`${path}runAt`, runAt, 'a valid Date before the year 2286');
  }
  if (key !== undefined) {
    assertKey(key);
  }
  if (tenant !== undefined) {
    assertTenant(tenant);
  }
  return {
    due: runAt
      ? { at: runAt.getTime() }
      : delay === undefined
        ? AT_ONCE
        : { delay: toMilliseconds(`${path}delay`, delay) },
    priority:
      priority === undefined ? 0 : wholeNumber(`${path}priority`, priority, PRIORITY_RANGE.first, PRIORITY_RANGE.last),
    key: key ?? null,
    unique: unique && resolveUnique(unique, 'string', `${path}unique.`),
    tenant,
    expiresIn: expiresIn === undefined ? undefined : toMilliseconds(`${path}expiresIn`, expiresIn, 1),
  };
}

export function splitTransaction<Options extends TransactionOptions>(
  options: Options,
): [TransactionOptions, Omit<Options, keyof TransactionOptions>] {
  assertKnownOptions(options, ENQUEUE_OPTIONS);
  const { manager: _manager, queryRunner: _queryRunner, via: _via, outsideTransaction: _outside, ...rest } = options;
  return [pickTransaction(options), rest];
}
