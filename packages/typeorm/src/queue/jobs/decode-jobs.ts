import { mapConcurrently } from '../../async/map-concurrently.js';
import type { EncodedKind } from '../../codec/codec.js';
import type { Codecs } from '../../codec/codecs.js';
import { isEncoded } from '../../codec/encoded-text.js';
import { UndecodedValue } from '../../codec/undecoded-value.js';
import { UnknownCodecError } from '../../errors/index.js';
import { storedValue } from '../../store/base/jobs/stored-value.js';
import type { FailedAttempt } from '../../store/base/jobs/attempt-errors.js';
import type { JobSummary } from '../../store/reports/find-jobs.js';
import type { JobLogLine } from '../../store/reports/list-log.js';
import type { StepSnapshot } from '../../store/reports/list-steps.js';

/** How many jobs are decoded at a time. */
const MOST_AT_A_TIME = 16;
/** The length of an error in lists, in characters. */
const ERROR_LENGTH = 1_000;

/** A job as it is read. Lists have no payload, result and errors. */
interface ReadJob extends JobSummary {
  readonly payload?: unknown;
  readonly result?: unknown;
  readonly errors?: readonly FailedAttempt[];
}

/**
 * Decodes what codecs have written of jobs. What cannot be decoded stays an `UndecodedValue`; an error becomes its
 * text.
 */
export async function decodeJobs<Job extends ReadJob>(codecs: Codecs, jobs: readonly Job[]): Promise<Job[]> {
  return jobs.some(hasEncoded)
    ? mapConcurrently(jobs, MOST_AT_A_TIME, async (job) => (hasEncoded(job) ? decodeJob(codecs, job) : job))
    : [...jobs];
}

/** The same for a list, with the beginning of each error. */
export async function decodeSummaries(codecs: Codecs, jobs: readonly JobSummary[]): Promise<JobSummary[]> {
  const decoded = await decodeJobs(codecs, jobs);
  return decoded.map((job) => (job.error === undefined ? job : { ...job, error: job.error.slice(0, ERROR_LENGTH) }));
}

function hasEncoded({ payload, result, progress, error, errors = [] }: ReadJob): boolean {
  return (
    [payload, result, progress].some((value) => value instanceof UndecodedValue) ||
    [error, ...errors.map((each) => each.error)].some((text) => text !== undefined && isEncoded(text))
  );
}

async function decodeJob<Job extends ReadJob>(codecs: Codecs, job: Job): Promise<Job> {
  const { payload, result, progress, error, errors } = job;
  return {
    ...job,
    progress: await decodeValue(codecs, progress, 'progress'),
    ...(error !== undefined && { error: await decodeError(codecs, error) }),
    ...('payload' in job && { payload: await decodeValue(codecs, payload, 'payload') }),
    ...('result' in job && { result: await decodeValue(codecs, result, 'result') }),
    ...(errors && {
      errors: await mapConcurrently(errors, 1, async (each) => ({
        ...each,
        error: await decodeError(codecs, each.error),
      })),
    }),
  };
}

/** Decodes what codecs have written of the lines of a job. */
export async function decodeLog(codecs: Codecs, lines: readonly JobLogLine[]): Promise<JobLogLine[]> {
  return mapConcurrently(lines, MOST_AT_A_TIME, async (line) => {
    if (!isEncoded(line.message)) {
      return line;
    }
    const decoded: unknown = await decodeValue(codecs, storedValue(line.message), 'log');
    return hasProperty(decoded, 'message') && hasProperty(decoded, 'fields')
      ? { ...line, message: String(decoded.message), fields: storedValue(decoded.fields) }
      : { ...line, message: String(decoded) };
  });
}

/** Decodes what codecs have written of the steps of a job. */
export async function decodeSteps(codecs: Codecs, steps: readonly StepSnapshot[]): Promise<StepSnapshot[]> {
  return mapConcurrently(steps, MOST_AT_A_TIME, async (step) => {
    const error: unknown = await decodeValue(codecs, step.error, 'error');
    const result = await decodeResult(codecs, step);
    return error instanceof UndecodedValue
      ? { ...step, result, error: { name: 'Error', message: String(error) } }
      : { ...step, result, error: error as StepSnapshot['error'] };
  });
}

/** The data of a signal and the outcomes of children are encoded within the row of their wait. */
async function decodeResult(codecs: Codecs, { kind, result }: StepSnapshot): Promise<unknown> {
  if (kind === 'signal' && hasProperty(result, 'encoded')) {
    const { encoded, ...signal } = result;
    return { ...signal, data: await decodeValue(codecs, storedValue(encoded), 'signal') };
  }
  if (kind === 'child' && Array.isArray(result)) {
    return Promise.all(result.map((outcome) => decodeChild(codecs, outcome)));
  }
  return decodeValue(codecs, result, 'step');
}

async function decodeChild(codecs: Codecs, outcome: unknown): Promise<unknown> {
  if (hasProperty(outcome, 'encodedResult')) {
    const { encodedResult, ...child } = outcome;
    return { ...child, result: await decodeValue(codecs, storedValue(encodedResult), 'result') };
  }
  if (hasProperty(outcome, 'encodedError')) {
    const { encodedError, ...child } = outcome;
    return { ...child, error: await decodeError(codecs, String(encodedError)) };
  }
  return outcome;
}

function hasProperty<Name extends string>(value: unknown, name: Name): value is Readonly<Record<Name, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

/** Decodes a value that `storedValue` has returned. */
export async function decodeValue(codecs: Codecs, value: unknown, kind: EncodedKind): Promise<unknown> {
  if (!(value instanceof UndecodedValue)) {
    return value;
  }
  const decoded = await textOrUndecoded(codecs, UndecodedValue.storedTextOf(value), kind);
  return decoded instanceof UndecodedValue ? decoded : storedValue(decoded);
}

/** Decodes the text of an error. */
export async function decodeError(codecs: Codecs, stored: string): Promise<string> {
  return isEncoded(stored) ? String(await textOrUndecoded(codecs, stored, 'error')) : stored;
}

async function textOrUndecoded(codecs: Codecs, stored: string, kind: EncodedKind): Promise<string | UndecodedValue> {
  try {
    return await codecs.decode(stored, kind, kind);
  } catch (error) {
    return new UndecodedValue(stored, !(error instanceof UnknownCodecError));
  }
}
