import { InvalidNameError } from '../errors/index.js';

/** Names are stored as ASCII and compared byte by byte, the same on every server. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;

/** The longest name of each kind, in characters: the width of its column. */
export const NAME_LENGTH = {
  job: 128,
  queue: 64,
  key: 191,
  schedule: 128,
  cron: 255,
  timeZone: 64,
  lock: 191,
  tenant: 191,
  step: 191,
  event: 64,
  subscription: 63,
} as const;

/** @throws InvalidNameError */
export function assertJobName(value: unknown): asserts value is string {
  assertName('job name', value, NAME_LENGTH.job);
}

/** Names of jobs that `defineJob` refuses: of subscriptions, `order.paid@mailing`, and built-in ones, `@replay`. */
const STORED_JOB_NAME = /^@?[A-Za-z0-9][A-Za-z0-9._:/@-]*$/;

/**
 * Asserts the name of a job that may be stored already.
 *
 * @throws InvalidNameError
 */
export function assertStoredJobName(value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.length > NAME_LENGTH.job || !STORED_JOB_NAME.test(value)) {
    assertJobName(value);
  }
}

/** @throws InvalidNameError */
export function assertEventName(value: unknown): asserts value is string {
  assertName('event name', value, NAME_LENGTH.event);
}

/** @throws InvalidNameError */
export function assertSubscriptionName(value: unknown): asserts value is string {
  assertName('subscription name', value, NAME_LENGTH.subscription);
}

/** @throws InvalidNameError */
export function assertQueueName(value: unknown): asserts value is string {
  assertName('queue name', value, NAME_LENGTH.queue);
}

/** @throws InvalidNameError */
export function assertScheduleName(value: unknown): asserts value is string {
  assertName('schedule name', value, NAME_LENGTH.schedule);
}

/**
 * Asserts a key: a text of 1 to 191 UTF-16 code units. NUL and lone surrogates cannot be stored exactly. A space at the
 * end is ignored by the binary collations of MySQL and MariaDB when they compare.
 *
 * @throws InvalidNameError
 */
export function assertKey(value: unknown, kind: 'key' | 'unique key' = 'key'): asserts value is string {
  assertText(kind, value, NAME_LENGTH.key);
}

/**
 * Asserts the name of a lock, by the rules of a key.
 *
 * @throws InvalidNameError
 */
export function assertLockName(value: unknown): asserts value is string {
  assertText('lock name', value, NAME_LENGTH.lock);
}

/**
 * Asserts the name of a tenant, by the rules of a key.
 *
 * @throws InvalidNameError
 */
export function assertTenant(value: unknown): asserts value is string {
  assertText('tenant', value, NAME_LENGTH.tenant);
}

/**
 * Asserts the name of a step or a wait, by the rules of a key.
 *
 * @throws InvalidNameError
 */
export function assertStepName(value: unknown): asserts value is string {
  assertText('step name', value, NAME_LENGTH.step);
}

/**
 * Asserts the name of a signal, by the rules of a key.
 *
 * @throws InvalidNameError
 */
export function assertSignalName(value: unknown): asserts value is string {
  assertText('signal name', value, NAME_LENGTH.step);
}

/**
 * Asserts the key of an order, by the rules of a key.
 *
 * @throws InvalidNameError
 */
export function assertOrderKey(value: unknown): asserts value is string {
  assertText('order key', value, NAME_LENGTH.key);
}

type TextKind = 'key' | 'unique key' | 'order key' | 'lock name' | 'tenant' | 'step name' | 'signal name';

function assertText(kind: TextKind, value: unknown, longest: number): void {
  const fits = typeof value === 'string' && value.length >= 1 && value.length <= longest;
  // eslint-disable-next-line no-control-regex -- searches for NUL
  if (!fits || /\0|\p{Surrogate}| $/u.test(value)) {
    // The length of a string counts a character beyond the Basic Multilingual Plane as two.
    const counting = typeof value === 'string' && /[^\0-\uffff]/u.test(value) ? ' (an emoji counts as two)' : '';
    throw new InvalidNameError(
      kind,
      value,
      `use 1 to ${longest} characters${counting}, without NUL, lone surrogates or a space at the end`,
    );
  }
}

type NameKind = 'job name' | 'queue name' | 'schedule name' | 'event name' | 'subscription name';

function assertName(kind: NameKind, value: unknown, longest: number): void {
  if (typeof value !== 'string' || value.length > longest || !NAME.test(value)) {
    throw new InvalidNameError(
      kind,
      value,
      `use 1 to ${longest} of the characters A-Z a-z 0-9 . _ : / -, beginning with a letter or a digit`,
    );
  }
}
