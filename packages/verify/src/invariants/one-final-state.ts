import type { Evidence, JobEvidence } from '../evidence/evidence.js';
import { doomedJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

const DOOMED_ATTEMPTS = doomedJob.retry.attempts;

/** Nothing runs on in the live table that the history has, and each job ends as it has to. */
export const oneFinalState: Invariant = {
  name: 'one-final-state',
  promise: 'Each job has ended once, and as its handler, or who cancelled it, has ended it.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = wrong(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    }),
};

function wrong({ id, kind, live, final, calls }: JobEvidence, { all }: Evidence): string | undefined {
  if (!final) {
    return undefined;
  }
  if (live) {
    return `A job (${kind}) is ${live.state} and has ${final.state} at the same time.`;
  }
  const cancelledAt = all.cancelled.get(id);
  if (cancelledAt !== undefined) {
    return final.state !== 'cancelled'
      ? `A job (${kind}) was cancelled, and has ${final.state}.`
      : calls.length > 0
        ? `A job (${kind}) was cancelled before it ran, and was run.`
        : undefined;
  }
  if (kind === doomedJob.name) {
    return final.state === 'failed' && final.failures === DOOMED_ATTEMPTS
      ? undefined
      : `A job that fails in each attempt has ${final.state} after ${final.failures} failures, not after ${DOOMED_ATTEMPTS}.`;
  }
  if (final.state === 'cancelled') {
    // A `cancel` whose answer was lost has cancelled it all the same.
    return calls.length > 0 ? `A job (${kind}) was run, and was cancelled by nobody.` : undefined;
  }
  if (final.state === 'failed') {
    return `A job (${kind}) has failed for good after ${final.attempt} attempts and ${final.failures} failures.`;
  }
  const last = calls.find(({ attempt }) => attempt === final.attempt);
  return last?.returned
    ? undefined
    : `A job (${kind}) has succeeded with attempt ${final.attempt}, but no handler has come to the end of that.`;
}
