import { createHash } from 'node:crypto';

import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import type { DueTime } from './due-time.js';
import { assertKey } from './names.js';
import type { UniqueSpan } from './unique-span.js';

const WHILE = ['queued', 'unfinished'] as const;
const ON_CONFLICT = ['return', 'replace', 'throw'] as const;

/** Options of `enqueue` that make a job unique among the jobs of its definition. */
export interface UniqueOptions {
  /** The unique key: 1 to 191 characters. Default: a hash of the payload, whatever the order of its properties. */
  readonly key?: string;
  /**
   * How long the job keeps its key: `'queued'` until it is first claimed, `'unfinished'` until it has succeeded,
   * failed, expired or was cancelled. Default: `'unfinished'`; with `period` alone, the state of the job does not count.
   */
  readonly while?: (typeof WHILE)[number];
  /**
   * Keeps the key for this time after the enqueue, even if the job finishes earlier: 1 ms to 100 years. Default: none.
   */
  readonly period?: Duration;
  /**
   * What `enqueue` does if another job has the key. With `'return'` it stores nothing and returns the other job. With
   * `'replace'` it replaces the payload and options of the other job if that still waits; this needs `while`. With
   * `'throw'` it throws a `DuplicateJobError`. Default: `'return'`.
   */
  readonly onConflict?: (typeof ON_CONFLICT)[number];
  /**
   * How long after its first enqueue a job that is replaced again and again becomes due at the latest: from the job's
   * `delay` to 100 years. Only with `onConflict: 'replace'`, and not with `runAt`. Default: no limit.
   */
  readonly maxWait?: Duration;
}

/** Options of a definition that make each of its jobs unique. */
export interface UniqueDefaults<Input> extends Omit<UniqueOptions, 'key'> {
  /** Returns the unique key for a payload: 1 to 191 characters. Default: a hash of the payload. */
  readonly key?: (payload: Input) => string;
}

/** Unique options, checked. */
export interface UniquePolicy {
  readonly key: string | ((payload: never) => string) | undefined;
  readonly lasts: UniqueSpan;
  /** `period` in ms; null for none. */
  readonly window: number | null;
  readonly onConflict: (typeof ON_CONFLICT)[number];
  /** In ms; null for none. */
  readonly maxWait: number | null;
}

/** The unique key of one job. */
export interface UniqueKey extends UniquePolicy {
  readonly key: string;
}

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveUnique(
  options: Omit<UniqueOptions, 'key'> & { readonly key?: UniquePolicy['key'] },
  keyType: 'string' | 'function',
  path: string,
): UniquePolicy {
  assertKnownOptions(options, ['key', 'while', 'period', 'onConflict', 'maxWait'], path);
  const { key, while: span, period, onConflict = 'return', maxWait } = options;
  if (key !== undefined && typeof key !== keyType) {
    throw new InvalidOptionError(`${path}key`, key, `a ${keyType}`);
  }
  oneOf(`${path}while`, span ?? 'queued', WHILE);
  oneOf(`${path}onConflict`, onConflict, ON_CONFLICT);
  if (onConflict === 'replace' && span === undefined) {
    throw new InvalidOptionError(
      `${path}onConflict`,
      onConflict,
      'given together with "while", because only waiting jobs can be replaced',
    );
  }
  if (maxWait !== undefined && onConflict !== 'replace') {
    throw new InvalidOptionError(`${path}maxWait`, maxWait, 'left out without "onConflict: \'replace\'"');
  }
  return Object.freeze({
    key,
    lasts: span ?? (period === undefined ? 'unfinished' : 'window'),
    window: period === undefined ? null : toMilliseconds(`${path}period`, period, 1),
    onConflict,
    maxWait: maxWait === undefined ? null : toMilliseconds(`${path}maxWait`, maxWait, 1),
  });
}

/**
 * Returns the unique key of a job with this payload.
 *
 * @param text the payload as JSON text.
 * @throws InvalidNameError for a key that cannot be stored; InvalidOptionError for a job that is due after `maxWait`.
 */
export function uniqueKeyOf(policy: UniquePolicy, payload: unknown, text: string | null, due: DueTime): UniqueKey {
  const { key = () => keyOfPayload(text), maxWait } = policy;
  if (maxWait !== null && !('delay' in due && due.delay <= maxWait)) {
    const wanted = 'delay' in due ? `at least the delay of ${due.delay} ms` : 'left out where "runAt" is given';
    throw new InvalidOptionError('unique.maxWait', maxWait, wanted);
  }
  const made = typeof key === 'string' ? key : key(payload as never);
  assertKey(made, 'unique key');
  return { ...policy, key: made };
}

function keyOfPayload(text: string | null): string {
  const canonical = text === null ? '' : JSON.stringify(JSON.parse(text), sortedProperties);
  return createHash('sha256').update(canonical).digest('base64url');
}

function sortedProperties(_name: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

function oneOf(option: string, value: string, words: readonly string[]): void {
  if (!words.includes(value)) {
    throw new InvalidOptionError(option, value, words.map((word) => `'${word}'`).join(' or '));
  }
}
