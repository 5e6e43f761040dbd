import type { EncodedKind } from '../../codec/codec.js';
import { isEncoded } from '../../codec/encoded-text.js';
import { UnrecoverableJobError } from '../../errors/index.js';
import { messageOf } from '../../errors/thrown.js';
import { encodeError } from '../completing/encode-outcome.js';
import type { DurableRun } from './durable-run.js';
import { assertValueSize, causeOf, decodeValue, jsonOfValue } from './step-value.js';

/** A value as JSON text, and as it is stored. Null for undefined. */
export interface StoredText {
  readonly text: string | null;
  readonly stored: string | null;
}

/**
 * Makes the texts of a value of a run.
 *
 * @param value what it is, for errors: `result of the step "charge"`.
 * @returns a promise only with a codec.
 * @throws TypeError for a value that JSON cannot hold, RangeError for one that is larger than the limit,
 *   EncodeFailedError.
 */
export function storedTextOf(run: DurableRun, data: unknown, value: string): StoredText | Promise<StoredText> {
  const { codecs, maxResultBytes } = run.dependencies.outcomes;
  const text = jsonOfValue(data);
  const encoder = codecs.encoderFor(run.context.definition);
  if (text === null || encoder === undefined) {
    assertValueSize(text, maxResultBytes);
    return { text, stored: text };
  }
  return run.busyWhile(async () => {
    const stored = await codecs.encode(encoder, text, 'step', value);
    assertValueSize(stored, maxResultBytes);
    return { text, stored };
  });
}

/**
 * The same for the result of a step.
 *
 * @throws UnrecoverableJobError
 */
export async function storedResultOf(run: DurableRun, result: unknown, step: string): Promise<StoredText> {
  try {
    return await storedTextOf(run, result, `result of the step "${step}"`);
  } catch (error) {
    throw new UnrecoverableJobError(`The step has ended, but its result cannot be stored: ${messageOf(error)}.`);
  }
}

/** The error of a step as it is stored. Never rejects. */
export async function storedCauseOf(run: DurableRun, error: Error, step: string): Promise<string> {
  const { outcomes } = run.dependencies;
  const text = JSON.stringify(causeOf(error, outcomes.redact));
  const encoder = outcomes.codecs.encoderFor(run.context.definition);
  const asCause = (message: string) => JSON.stringify({ name: 'Error', message });
  return encoder === undefined ? text : encodeError(outcomes, encoder, text, `error of the step "${step}"`, asCause);
}

/** Whether a stored text must be decoded. */
export function mustDecode(stored: string | null | undefined): stored is string {
  return typeof stored === 'string' && isEncoded(stored);
}

/**
 * Reads a stored value.
 *
 * @param value what it is, for errors.
 * @throws UnknownCodecError, DecodeFailedError, SnoozeJobError
 */
export function readStored(run: DurableRun, stored: string, kind: EncodedKind, value: string): Promise<unknown> {
  return run.busyWhile(() => {
    return run.dependencies.outcomes.codecs.decodeJson(stored, kind, value, run.context.definition);
  });
}

/**
 * Reads a stored value, and waits for the turn of its number.
 *
 * @throws the errors of `readStored`.
 */
export async function answerWith(
  run: DurableRun,
  seq: number,
  stored: string | null,
  kind: EncodedKind,
  value: string,
): Promise<unknown> {
  if (mustDecode(stored)) {
    return answerAfter(run, seq, () => readStored(run, stored, kind, value));
  }
  await run.answers.give(seq);
  return decodeValue(stored);
}

/** Reads first, and then waits for the turn of a number. Answers with higher numbers wait meanwhile. */
export async function answerAfter<T>(run: DurableRun, seq: number, read: () => Promise<T>): Promise<T> {
  run.answers.reserve(seq);
  let result: T;
  try {
    result = await read();
  } catch (error) {
    run.answers.release(seq);
    throw error;
  }
  await run.answers.give(seq);
  return result;
}

/** The cursor with which a step begins. @throws the errors of `readStored`. */
export async function cursorOf(run: DurableRun, stored: string | null, step: string): Promise<StoredText> {
  const value = `cursor of the step "${step}"`;
  return { text: mustDecode(stored) ? JSON.stringify(await readStored(run, stored, 'step', value)) : stored, stored };
}
