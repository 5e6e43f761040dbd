import type { Evidence, JobEvidence } from '../evidence/evidence.js';
import { fleetingJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

type Settlement = JobEvidence['settled'][number];

/**
 * Workers note an outcome when they are told that it is written down. One whose job was taken over must be told that it
 * was lost.
 */
export const fenced: Invariant = {
  name: 'fenced',
  promise: 'No outcome is accepted of a worker that has lost the job, and none twice.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = wrong(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    }),
};

/**
 * Of a job of which nothing is kept, a worker that tries again after a lost answer finds nothing, whoever has deleted it,
 * and takes it for its own success.
 */
function isGuess({ kind, calls }: JobEvidence, { how, attempt, at }: Settlement, evidence: Evidence): boolean {
  const run = calls.find((each) => each.attempt === attempt);
  const isLast = calls.every((each) => each.attempt <= attempt);
  if (kind !== fleetingJob.name || how !== 'succeeded' || isLast || !run) {
    return false;
  }
  // It is made when the last try is answered, which may be long after the handler's end.
  return evidence.faultThatAllows('rerun', run.process, run.from, at) !== undefined;
}

function wrong(job: JobEvidence, evidence: Evidence): string | undefined {
  if (evidence.mayBeStoredTwice(job)) {
    return undefined;
  }
  const { kind, settled, calls, final } = job;
  const accepted = settled.filter((each) => each.how !== 'lost' && !isGuess(job, each, evidence));
  const ends = accepted.filter(({ how }) => how === 'succeeded' || how === 'failed');
  if (ends.length > 1) {
    const told = ends.map(({ attempt, how, process }) => `${how} (attempt ${attempt}, ${process})`);
    return `A job (${kind}) has ended ${ends.length} times: ${told.join(', ')}.`;
  }
  const [end] = ends;
  const later = end && calls.find(({ attempt }) => attempt > end.attempt);
  if (later) {
    return `A job (${kind}) has ${end.how} with attempt ${end.attempt} of ${end.process}, though ${later.process} had begun attempt ${later.attempt}.`;
  }
  const twice = accepted.find(({ attempt }, index) => accepted.findIndex((each) => each.attempt === attempt) < index);
  if (twice) {
    return `Two outcomes of attempt ${twice.attempt} of a job (${kind}) were accepted.`;
  }
  const charged = accepted.filter(({ how }) => how === 'retried' || how === 'failed').length;
  return final && charged > final.failures
    ? `A job (${kind}) has ${final.failures} failures, but ${charged} were accepted.`
    : undefined;
}
