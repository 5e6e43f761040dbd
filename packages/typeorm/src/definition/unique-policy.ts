import { createHash } from 'node:crypto';

import { type Duration, toMilliseconds } from '../duration.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import type { UniqueSpan } from '../tables/unique.js';
import { assertKey } from './names.js';

const WHILE = ['queued', 'unfinished'] as const;
const ON_CONFLICT = ['return', 'replace', 'throw'] as const;

/** How long a job is the only one with its key, and what becomes of others. */
export interface UniqueConditions {
  /**
   * The key is taken while the job is `'queued'`, that is until its first claim, or `'unfinished'`, until it has
   * succeeded, failed or was cancelled. Default: `'unfinished'`, or nothing where `period` is given.
   */
  readonly while?: (typeof WHILE)[number];
  /** The key is taken for at least this long since it was, whatever the job does. At least 1 ms. */
  readonly period?: Duration;
  /**
   * What `enqueue` does when another job has the key: `'return'` that one and store nothing, `'replace'` its payload and
   * options while it waits, for which `while` is needed, or `'throw'` a `DuplicateJobError`. Default: `'return'`.
   */
  readonly onConflict?: (typeof ON_CONFLICT)[number];
}

/** What `enqueue` takes to make a job unique among those of its definition. */
export interface UniqueOptions extends UniqueConditions {
  /** 1 to 191 characters. Default: made of the payload, whatever the order of its properties. */
  readonly key?: string;
}

/** What a definition takes to make each of its jobs unique. */
export interface UniqueDefaults<Input> extends UniqueConditions {
  /** Makes the key of what `enqueue` is given, 1 to 191 characters. Default: of the whole payload. */
  readonly key?: (payload: Input) => string;
}

/** How a job is to be unique, checked. */
export interface UniquePolicy {
  readonly key: string | ((payload: never) => string) | undefined;
  readonly span: UniqueSpan;
  /** In ms; null for none. */
  readonly window: number | null;
  readonly onConflict: (typeof ON_CONFLICT)[number];
}

/** The unique key of one job. */
export interface UniqueKey extends UniquePolicy {
  readonly key: string;
}

/** @throws InvalidOptionError, UnknownOptionError */
export function resolveUnique(
  options: UniqueConditions & { readonly key?: UniquePolicy['key'] },
  keyType: 'string' | 'function',
  path: string,
): UniquePolicy {
  assertKnownOptions(options, ['key', 'while', 'period', 'onConflict'], path);
  const { key, while: span, period, onConflict = 'return' } = options;
  if (key !== undefined && typeof key !== keyType) {
    throw new InvalidOptionError(`${path}key`, key, `a ${keyType}`);
  }
  oneOf(`${path}while`, span ?? 'queued', WHILE);
  oneOf(`${path}onConflict`, onConflict, ON_CONFLICT);
  if (onConflict === 'replace' && span === undefined) {
    throw new InvalidOptionError(
      `${path}onConflict`,
      onConflict,
      'given together with "while": only what waits is replaced',
    );
  }
  return Object.freeze({
    key,
    lasts: span ?? (period === undefined ? 'unfinished' : 'window'),
    window: period === undefined ? null : toMilliseconds(`${path}period`, period, 1),
    onConflict,
  });
}

/**
 * The unique key of a job with this payload.
 *
 * @param text the payload as JSON text.
 * @throws InvalidNameError for a key that cannot be stored.
 */
export function uniqueKeyOf(policy: UniquePolicy, payload: unknown, text: string | null): UniqueKey {
  const { key = () => keyOfPayload(text) } = policy;
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
