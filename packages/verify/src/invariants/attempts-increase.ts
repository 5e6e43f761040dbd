import type { Evidence, JobEvidence } from '../evidence/evidence.js';
import type { Invariant } from './invariant.js';

/**
 * The attempt is the fence: two runs with the same one could not be told apart. A worker that was stopped between its
 * claim and the handler begins late, with an attempt that others have taken over; nothing can keep it from that.
 */
export const attemptsIncrease: Invariant = {
  name: 'attempts-increase',
  promise: 'The attempts of a job only ever increase, and no two of its runs have the same one.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = wrong(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    }),
};

function wrong(job: JobEvidence, evidence: Evidence): string | undefined {
  const { kind, calls, final } = job;
  const attempts = calls.map(({ attempt }) => attempt);
  const twice = attempts.find((attempt, index) => attempts.indexOf(attempt) < index);
  if (twice !== undefined && !evidence.mayBeStoredTwice(job)) {
    return `A job (${kind}) has begun attempt ${twice} twice.`;
  }
  let highest = 0;
  for (const { attempt, process, from } of calls) {
    if (attempt < highest && !evidence.faultThatAllows('rerun', process, from, from)) {
      return `A job (${kind}) began attempt ${attempt} after attempt ${highest}.`;
    }
    highest = Math.max(highest, attempt);
  }
  return final && final.attempt < highest
    ? `A job (${kind}) ended with attempt ${final.attempt}, and had begun ${highest}.`
    : undefined;
}
