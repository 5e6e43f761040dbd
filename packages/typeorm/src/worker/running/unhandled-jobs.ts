import type { Codecs } from '../../codec/codecs.js';
import { readEncoded } from '../../codec/encoded-text.js';
import { exponential } from '../../retry/backoff.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import type { AttemptResult } from '../completing/outcome.js';
import type { JobHandler } from '../handlers/job-handler.js';

/**
 * How long a job that cannot run here waits, by the number of its claims: each try costs a claim, but a newer process
 * should not have to wait long. Without jitter, so that such jobs come back in full batches: with jitter, 1,000 of them
 * took up to 10 statements each instead of 2 (MariaDB 10.11, 2026-11-20).
 */
const waitFor = exponential({ from: '5s', max: '5m', jitter: 0 });

/** Whether there is a handler that can read the payload of a job. */
export function canRun(handler: JobHandler | undefined, job: ClaimedJob, codecs: Codecs): handler is JobHandler {
  return (
    handler !== undefined &&
    job.payloadVersion <= handler.definition.version &&
    codecs.knows(job.payload, handler.definition)
  );
}

/** The outcome of a job that cannot run in this process. */
export function unhandledOutcome(job: ClaimedJob, handler: JobHandler | undefined): AttemptResult {
  if (handler === undefined) {
    return { kind: 'unhandled', delay: waitFor(job.attempt), hasRun: false, ...noHandler(job) };
  }
  if (job.payloadVersion > handler.definition.version) {
    return { kind: 'unhandled', delay: waitFor(job.attempt), hasRun: false, ...newerPayload(job, handler) };
  }
  return unknownCodecOutcome(job, readEncoded(job.payload ?? '').codec, false);
}

/** The outcome of a job with a stored value that this process cannot read. */
export function unknownCodecOutcome(
  { attempt, name, queue }: ClaimedJob,
  codec: string,
  hasRun: boolean,
): AttemptResult {
  return {
    kind: 'unhandled',
    delay: waitFor(attempt),
    hasRun,
    reason: 'unknown-codec',
    text:
      `A job "${name}" of queue "${queue}" has a value that was written by the codec "${codec}", which this process ` +
      'does not have. Such jobs stay in the queue until a process with the codec runs them. Add the codec to "codec" ' +
      'of the queue or the definition, or cancel the jobs.',
  };
}

type Reason = Pick<Extract<AttemptResult, { kind: 'unhandled' }>, 'reason' | 'text'>;

function noHandler({ name, queue }: ClaimedJob): Reason {
  return {
    reason: 'no-handler',
    text:
      `This process has no handler for job "${name}" of queue "${queue}". Its jobs stay in the queue until a process ` +
      'with a handler runs them. Add a handler, or cancel the jobs.',
  };
}

function newerPayload({ name, queue, payloadVersion }: ClaimedJob, { definition }: JobHandler): Reason {
  return {
    reason: 'newer-payload',
    text:
      `Job "${name}" of queue "${queue}" has a payload of version ${payloadVersion}, but the definition in this ` +
      `process reads versions up to ${definition.version}. Such jobs stay in the queue until a newer deployment runs ` +
      'them. Deploy the version that enqueued them, or cancel the jobs.',
  };
}
