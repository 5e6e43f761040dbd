import type { Codec } from '../../codec/codec.js';
import { messageOf } from '../../errors/thrown.js';
import { logError } from '../../logger.js';
import type { OutcomeSettings } from './outcome-settings.js';
import type { AttemptResult } from './outcome.js';

/** What is stored at the end of an attempt. */
export interface EncodedOutcome<Outcome extends AttemptResult> {
  readonly outcome: Outcome;
  readonly progress: string | null;
}

/** Encodes what is stored of an outcome, and the last progress. Never rejects: what cannot be encoded is left out. */
export async function encodeOutcome<Outcome extends AttemptResult>(
  settings: OutcomeSettings,
  encoder: Codec,
  name: string,
  outcome: Outcome,
  progress: string | null,
): Promise<EncodedOutcome<Outcome>> {
  const encodeText = async <Text extends string | null>(text: Text): Promise<string | Text> => {
    return text === null ? text : encodeError(settings, encoder, text, `error of job "${name}"`);
  };
  const encodeAny = async (given: AttemptResult): Promise<AttemptResult> => {
    switch (given.kind) {
      case 'succeeded': {
        if (given.keep === 'none') {
          return given;
        }
        const { result, resultError } = given;
        const encoded = result === null ? null : await encodeResult(settings, encoder, name, result);
        return encoded === NOT_STORED
          ? { ...given, result: null, resultError: NOT_STORED }
          : { ...given, result: encoded, resultError: await encodeText(resultError) };
      }
      case 'failed':
      case 'retried':
        return { ...given, text: await encodeText(given.text) };
      case 'cancelled':
      case 'parked':
        return { ...given, text: await encodeText(given.text) };
      case 'uncertain':
        return { ...given, ifRolledBack: await encodeAny(given.ifRolledBack) };
      default:
        return given;
    }
  };
  return {
    outcome: (await encodeAny(outcome)) as Outcome,
    progress: progress === null ? null : await encodeProgress(settings, encoder, name, progress),
  };
}

/** Encodes the text of an error. Never rejects: if its codec fails, the error is left out. */
export async function encodeError(
  { codecs, logger }: Pick<OutcomeSettings, 'codecs' | 'logger'>,
  encoder: Codec,
  text: string,
  value: string,
  asText = (message: string) => message,
): Promise<string> {
  try {
    return await codecs.encode(encoder, text, 'error', value);
  } catch (error) {
    logError(logger, `The ${value} is left out`, error);
    return asText(`The error was left out, because the codec "${encoder.id}" could not encode it.`);
  }
}

/** The error of a job whose result could not be encoded. The log has the reason, which may show what is secret. */
const NOT_STORED = 'The result was not stored: its codec could not encode it, or it was too large. See the log.';

async function encodeResult(settings: OutcomeSettings, encoder: Codec, name: string, result: string): Promise<string> {
  try {
    return await encodeWithinLimit(settings, encoder, name, result, 'result');
  } catch (error) {
    // The work is done. A failed attempt would do it twice.
    settings.logger.warn(`Job "${name}" has succeeded. The result was not stored: ${messageOf(error)}`);
    return NOT_STORED;
  }
}

/** @returns null if it cannot be encoded, or is too large then. */
export async function encodeProgress(
  settings: Omit<OutcomeSettings, 'redact'>,
  encoder: Codec,
  name: string,
  progress: string,
): Promise<string | null> {
  try {
    return await encodeWithinLimit(settings, encoder, name, progress, 'progress');
  } catch (error) {
    settings.logger.warn(`The progress of a job "${name}" was not stored: ${messageOf(error)}`);
    return null;
  }
}

/** @throws EncodeFailedError, RangeError */
async function encodeWithinLimit(
  { codecs, maxResultBytes }: Omit<OutcomeSettings, 'redact'>,
  encoder: Codec,
  name: string,
  text: string,
  kind: 'result' | 'progress',
): Promise<string> {
  const encoded = await codecs.encode(encoder, text, kind, `${kind} of job "${name}"`);
  const bytes = Buffer.byteLength(encoded);
  if (bytes > maxResultBytes) {
    throw new RangeError(`it is ${bytes} bytes, encoded by codec "${encoder.id}", the limit is ${maxResultBytes}`);
  }
  return encoded;
}
