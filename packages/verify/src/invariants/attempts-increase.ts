import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';
import type { Invariant } from './invariant.js';

/**
 * The attempt number is the fence, so two attempts must not share one. A worker that was stopped between claim and
 * handler starts the handler late, with a number that is out of date. That cannot be prevented.
 */
export const attemptsIncrease: Invariant = {
  name: 'attempts-increase',
  guarantee: 'The attempt numbers of a job only increase, and no two attempts have the same number.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = findError(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    }),
};

function findError(job: JobEvidence, evidence: Evidence): string | undefined {
  const { kind, calls, final } = job;
  const attempts = calls.map(({ attempt }) => attempt);
  const repeated = attempts.find((attempt, index) => attempts.indexOf(attempt) < index);
  if (repeated !== undefined && !evidence.mayBeStoredTwice(job)) {
    return `A job (${kind}) started attempt ${repeated} twice.`;
  }
  let highest = 0;
  for (const { attempt, process, from } of calls) {
    if (attempt < highest && !evidence.faultThatAllows('rerun', process, from, from)) {
      return `A job (${kind}) started attempt ${attempt} after attempt ${highest}.`;
    }
    highest = Math.max(highest, attempt);
  }
  return final && final.attempt < highest
    ? `A job (${kind}) ended with attempt ${final.attempt}, but attempt ${highest} had started.`
    : undefined;
}
