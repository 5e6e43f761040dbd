import { types } from 'node:util';

import { type Duration, toMilliseconds } from '../../duration.js';
import { assertKey, assertTenant } from '../../definition/names.js';
import { type UniqueOptions, type UniquePolicy, resolveUnique } from '../../definition/unique-policy.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { LATEST_TIME, PRIORITY_RANGE } from '../../store/base/sort-key.js';
import type { Due, NewJob } from '../../store/enqueue/new-job.js';
import { TRANSACTION_OPTIONS, type TransactionOptions } from './caller-transaction.js';

/** What can be said about one job besides its payload. */
export interface JobOptions {
  /** Runs the job this long after it was stored, by the database's clock. Default: 0, at once. Not with `runAt`. */
  readonly delay?: Duration;
  /** Runs the job at this time, or at once if that is past. Not with `delay`. */
  readonly runAt?: Date;
  /** Jobs of the same queue with a smaller number run first: a whole number from -500 to 500. Among jobs of
   * different tenants turns come first. Default: 0. */
  readonly priority?: number;
  /** A label to look the job up and cancel it by, such as `order:42`: 1 to 191 characters. Many jobs may share it. */
  readonly key?: string;
  /** Makes the job the only one of its kind with a key. Default: what its definition says. */
  readonly unique?: UniqueOptions;
  /**
   * Who the job is for: a customer, an account, a partner's server; 1 to 191 characters. Tenants of a queue take turns,
   * however many jobs each has waiting, and `control.limit` limits how many of one's jobs run at a time. Default: what the
   * definition makes of the payload; jobs without a tenant take turns together, as one.
   */
  readonly tenant?: string;
}

/** What `enqueue` takes besides the payload. */
export interface EnqueueOptions extends JobOptions, TransactionOptions {}

/** One job of `enqueueMany`. */
export type BulkJob<Input> = JobOptions &
  (undefined extends Input ? { readonly payload?: Input } : { readonly payload: Input });

/** The arguments behind the definition: a payload that may be undefined may be left out. */
export type EnqueueArguments<Input> = undefined extends Input
  ? [payload?: Input, options?: EnqueueOptions]
  : [payload: Input, options?: EnqueueOptions];

const JOB_OPTIONS = ['delay', 'runAt', 'priority', 'key', 'unique', 'tenant'];
const ENQUEUE_OPTIONS = [...JOB_OPTIONS, ...TRANSACTION_OPTIONS];

/** What one job of `enqueueMany` may have. */
export const BULK_JOB_OPTIONS = ['payload', ...JOB_OPTIONS];

/** The options of one job, checked. */
export interface ResolvedJobOptions extends Pick<NewJob, 'due' | 'priority' | 'key'> {
  readonly unique: UniquePolicy | undefined;
  readonly tenant: string | undefined;
}

const AT_ONCE: Due = { delay: 0 };

/** The options of one job as its row has them. That there are no others has been checked. */
export function resolveJobOptions(options: JobOptions, path = ''): ResolvedJobOptions {
  const { delay, runAt, priority, key, unique, tenant } = options;
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
  };
}

/** Takes the transaction out of an options object: what is left belongs to the job. */
export function splitTransaction<Options extends TransactionOptions>(
  options: Options,
): [TransactionOptions, Omit<Options, keyof TransactionOptions>] {
  assertKnownOptions(options, ENQUEUE_OPTIONS);
  const { manager, queryRunner, ...rest } = options;
  return [{ ...(manager && { manager }), ...(queryRunner && { queryRunner }) }, rest];
}
