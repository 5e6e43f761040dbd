import { inspect, types } from 'node:util';

import { type Duration, toMilliseconds } from '../duration.js';
import type { TransactionOptions } from '../queue/enqueue/caller-transaction.js';
import type { WaitOptions } from '../queue/jobs/job-waits.js';
import type { JobSnapshot } from '../store/reports/find-jobs.js';

/** A matcher of a test framework, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  asymmetricMatch(value: unknown): boolean;
}

/** A part of a payload: objects may leave properties out, lists are whole. */
export type PayloadPart<Payload> =
  | AsymmetricMatcher
  | (Payload extends readonly (infer Element)[]
      ? readonly PayloadPart<Element>[]
      : Payload extends Date
        ? Payload
        : Payload extends object
          ? { readonly [Property in keyof Payload]?: PayloadPart<Payload[Property]> }
          : Payload);

/** What is asked of a job. Whatever is left out may be anything. */
export interface JobMatch<Payload = unknown> extends TransactionOptions {
  /** A part of the payload, or what says whether it is the right one. */
  readonly payload?: PayloadPart<Payload> | ((payload: Payload) => boolean);
  readonly key?: string;
  readonly queue?: string;
  readonly tenant?: string;
  readonly priority?: number;
  readonly state?: JobSnapshot['state'];
  /** How long after it was stored it was to be run; 0 for at once. Of a job that was retried, how long after that. */
  readonly delay?: Duration;
  /** When it is to be run. */
  readonly runAt?: Date;
}

/** What `waitFor` takes: what is asked of the job, and how long to wait. */
export type JobWait<Payload = unknown> = Omit<JobMatch<Payload>, 'state' | keyof TransactionOptions> & WaitOptions;

/* eslint-disable @typescript-eslint/no-explicit-any -- the types every match is assignable to */
export type AnyJobMatch = JobMatch<any>;
export type AnyJobWait = JobWait<any>;
/* eslint-enable @typescript-eslint/no-explicit-any */

/** A job as tests look at it. */
export interface TestingJob<Payload = unknown> extends JobSnapshot {
  /** As it was stored: JSON. */
  readonly payload: Payload;
}

/** What a match may have, besides the transaction. */
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

/** Why a job is not the one that is asked for; empty where it is. */
export function mismatchesOf(job: JobSnapshot, match: AnyJobMatch): string[] {
  const { payload, delay, runAt } = match;
  const found: string[] = [];
  if (typeof payload === 'function') {
    if (!(payload as (payload: unknown) => boolean)(job.payload)) {
      found.push(`payload: the function says no to ${inspect(job.payload)}`);
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
