import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';
import { doomedJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

const DOOMED_ATTEMPTS = doomedJob.retry.attempts;

/** A job in the history is no longer live, and its state is the one that its handler or a cancellation produced. */
export const oneFinalState: Invariant = {
  name: 'one-final-state',
  guarantee: 'Each job ended once, with the outcome that its handler or a cancellation produced.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = findError(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    }),
};

function findError({ id, kind, live, final, calls }: JobEvidence, { all }: Evidence): string | undefined {
  if (!final) {
    return undefined;
  }
  if (live) {
    return `A job (${kind}) is ${live.state} and has ${final.state} at the same time.`;
  }
  const cancelledAt = all.cancelled.get(id);
  if (cancelledAt !== undefined) {
    return final.state !== 'cancelled'
      ? `A job (${kind}) was cancelled, but has ${final.state}.`
      : calls.length > 0
        ? `A job (${kind}) was cancelled before it ran, but ran.`
        : undefined;
  }
  if (kind === doomedJob.name) {
    return final.state === 'failed' && final.failures === DOOMED_ATTEMPTS
      ? undefined
      : `A job that fails in each attempt has ${final.state} after ${final.failures} failures, not after ${DOOMED_ATTEMPTS}.`;
  }
  if (final.state === 'cancelled') {
    // Without calls, a `cancel` without an answer may have cancelled it.
    return calls.length > 0 ? `A job (${kind}) ran and is cancelled, though no producer cancelled it.` : undefined;
  }
  if (final.state === 'failed') {
    return `A job (${kind}) has failed after ${final.attempt} attempts and ${final.failures} failures, though its last attempt succeeds.`;
  }
  const last = calls.find(({ attempt }) => attempt === final.attempt);
  return last?.returned
    ? undefined
    : `A job (${kind}) has succeeded with attempt ${final.attempt}, but no handler of that attempt has returned.`;
}
