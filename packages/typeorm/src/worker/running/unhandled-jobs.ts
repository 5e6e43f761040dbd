import { exponential } from '../../retry/backoff.js';
import type { ClaimedJob } from '../../store/base/claimed-job.js';
import type { JobHandler } from '../handlers/job-handler.js';
import type { AttemptResult } from '../completing/outcome.js';

/** Why a process leaves a job to others: it has no handler for it, or a definition with a lower `version`. */
export type UnhandledReason = 'no-handler' | 'newer-payload';

/**
 * How long a job that cannot be run here is left alone, by how often it was claimed: it costs a claim each time, but a
 * newer process that knows it should not have to wait long either. Jobs that were left together come back together, to
 * be claimed in full batches: with a share of the wait left to chance, 1,000 such jobs trickled in at up to 10 statements
 * each, instead of 2 (MariaDB 10.11, 2026-11-20).
 */
const wait = exponential({ from: '5s', max: '5m', jitter: 0 });

/** Whether a handler, where there is one, can read the payload of a job. */
export function canRun(handler: JobHandler | undefined, { payloadVersion }: ClaimedJob): handler is JobHandler {
  return handler !== undefined && payloadVersion <= handler.definition.version;
}

/** The outcome of a job that cannot be run here. */
export function unhandledOutcome(job: ClaimedJob, handler: JobHandler | undefined): AttemptResult {
  return {
    kind: 'unhandled',
    delay: wait(job.attempt),
    ...(handler ? newerPayload(job, handler) : noHandler(job)),
  };
}

type Why = Pick<Extract<AttemptResult, { kind: 'unhandled' }>, 'reason' | 'text'>;

function noHandler({ name, queue }: ClaimedJob): Why {
  return {
    reason: 'no-handler',
    text:
      `There is no handler for job "${name}" of queue "${queue}" in this process. Its jobs stay in the queue for a ` +
      'process that has one. If none should: cancel them, or add a handler.',
  };
}

function newerPayload({ name, queue, payloadVersion }: ClaimedJob, { definition }: JobHandler): Why {
  return {
    reason: 'newer-payload',
    text:
      `Job "${name}" of queue "${queue}" has a payload of version ${payloadVersion}, and the definition in this process ` +
      `knows versions up to ${definition.version}. Such jobs stay in the queue for a process of a newer deployment. If ` +
      'none is to come: cancel them, or deploy the version that has enqueued them again.',
  };
}
