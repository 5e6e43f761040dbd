import { inspect, types } from 'node:util';

import { type Duration, toMilliseconds } from '../duration.js';
import type { TransactionOptions } from '../queue/enqueue/caller-transaction.js';
import type { WaitOptions } from '../queue/jobs/job-waits.js';
import type { JobSnapshot } from '../store/reports/find-jobs.js';

/** A matcher of a test framework, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
}

/** A partial payload: objects may leave out properties, lists must be complete. */
export type PayloadPart<Payload> =
  | AsymmetricMatcher
  | (Payload extends readonly (infer Element)[]
      ? readonly PayloadPart<Element>[]
      : Payload extends Date
        ? Payload
        : Payload extends object
          ? { readonly [Property in keyof Payload]?: PayloadPart<Payload[Property]> }
          : Payload);

/** Properties that a job must have. Those that are left out can have any value. */
export interface JobMatch<Payload = unknown> extends TransactionOptions {
  /** A partial payload, or a function that returns whether the payload matches. */
  readonly payload?: PayloadPart<Payload> | ((payload: Payload) => boolean);
  /** The key of the job. */
  readonly key?: string;
  /** The queue of the job. */
  readonly queue?: string;
  /** The tenant of the job. */
  readonly tenant?: string;
  /** The priority of the job. */
  readonly priority?: number;
  /** The current state of the job. */
  readonly state?: JobSnapshot['state'];
  /** The time from its enqueue until it is due; 0 for at once. For a retried job, the time from the retry. */
  readonly delay?: Duration;
  /** When it is due. */
  readonly runAt?: Date;
}

/** Options of `TestingQueue.waitFor`: the match, and how long to wait. */
export type JobWait<Payload = unknown> = Omit<JobMatch<Payload>, 'state' | keyof TransactionOptions> & WaitOptions;

/* eslint-disable @typescript-eslint/no-explicit-any -- every match is assignable to these */
export type AnyJobMatch = JobMatch<any>;
export type AnyJobWait = JobWait<any>;
/* eslint-enable @typescript-eslint/no-explicit-any */

/** A job with the type of its payload. */
export interface TestingJob<Payload = unknown> extends JobSnapshot {
  /** The stored payload, parsed from JSON. */
  readonly payload: Payload;
}

/** The names of a match's properties, without those of the transaction. */
export const MATCH_OPTIONS: readonly string[] = [
  'payload',
  'key',
  'queue',
  'tenant',
  'priority',
  'state',
  'delay',
  'runAt',
];

const PLAIN = ['key', 'queue', 'tenant', 'priority', 'state'] as const;

/** Returns why a job does not match; an empty list if it does. */
export function mismatchesOf(job: JobSnapshot, match: AnyJobMatch): string[] {
  const { payload, delay, runAt } = match;
  const found: string[] = [];
  if (typeof payload === 'function') {
    if (!(payload as (payload: unknown) => boolean)(job.payload)) {
      found.push(`payload: the function returned false for ${inspect(job.payload)}`);
    }
  } else if (Object.hasOwn(match, 'payload')) {
    compare('payload', payload, job.payload, found);
  }
  for (const name of PLAIN.filter((option) => match[option] !== undefined)) {
    compare(name, match[name], job[name], found);
  }
  if (delay !== undefined) {
    compare('delay', toMilliseconds('delay', delay), job.runAt.getTime() - job.createdAt.getTime(), found);
  }
  if (runAt !== undefined) {
    compare('runAt', runAt.toISOString(), job.runAt.toISOString(), found);
  }
  return found;
}

function compare(path: string, expected: unknown, actual: unknown, found: string[]): void {
  const wanted: unknown = types.isDate(expected) ? expected.toJSON() : expected;
  if (isMatcher(wanted)) {
    if (!wanted.asymmetricMatch(actual)) {
      found.push(`${path}: ${inspect(actual)} instead of ${inspect(wanted)}`);
    }
  } else if (Array.isArray(wanted) && Array.isArray(actual) && wanted.length === actual.length) {
    wanted.forEach((element, index) => compare(`${path}[${index}]`, element, actual[index], found));
  } else if (isObject(wanted) && isObject(actual)) {
    Object.entries(wanted).forEach(([name, value]) => compare(`${path}.${name}`, value, actual[name], found));
  } else if (!Object.is(wanted, actual)) {
    found.push(`${path}: ${inspect(actual)} instead of ${inspect(wanted)}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMatcher(value: unknown): value is AsymmetricMatcher {
  return isObject(value) && typeof value.asymmetricMatch === 'function';
}
