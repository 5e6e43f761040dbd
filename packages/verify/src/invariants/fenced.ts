import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence, ReportedOutcome } from '../evidence/gathered-evidence.js';
import { unkeptJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

/** A worker reports an outcome after it is stored. A worker whose job was taken over must report it as lost. */
export const fenced: Invariant = {
  name: 'fenced',
  guarantee: 'No outcome is accepted from a worker that has lost the job, and none is accepted twice.',
  check: (evidence) =>
    [...evidence.all.jobs.values()].flatMap((job) => {
      const text = findError(job, evidence);
      return text === undefined ? [] : [{ text, ids: [job.id] }];
    }),
};

/**
 * Returns whether a worker may have reported a success by mistake. After a lost answer it deletes the job again. If the
 * history does not keep the job, it cannot know which worker deleted it.
 */
function isGuess({ kind, calls }: JobEvidence, { outcome, attempt, at }: ReportedOutcome, evidence: Evidence): boolean {
  const call = calls.find((each) => each.attempt === attempt);
  const isLast = calls.every((each) => each.attempt <= attempt);
  if (kind !== unkeptJob.name || outcome !== 'succeeded' || isLast || !call) {
    return false;
  }
  // The report follows the answer to the last try, which may be long after the end of the handler.
  return evidence.faultThatAllows('rerun', call.process, call.from, at) !== undefined;
}

function findError(job: JobEvidence, evidence: Evidence): string | undefined {
  if (evidence.mayBeStoredTwice(job)) {
    return undefined;
  }
  const { kind, outcomes, calls, final } = job;
  const accepted = outcomes.filter((each) => each.outcome !== 'lost' && !isGuess(job, each, evidence));
  const ends = accepted.filter(({ outcome }) => outcome === 'succeeded' || outcome === 'failed');
  if (ends.length > 1) {
    const list = ends.map(({ attempt, outcome, process }) => `${outcome} (attempt ${attempt}, ${process})`);
    return `A job (${kind}) has ended ${ends.length} times: ${list.join(', ')}.`;
  }
  const [end] = ends;
  const later = end && calls.find(({ attempt }) => attempt > end.attempt);
  if (later) {
    return `A job (${kind}) has ${end.outcome} with attempt ${end.attempt} of ${end.process}, though ${later.process} had started attempt ${later.attempt}.`;
  }
  const repeated = accepted.find(
    ({ attempt }, index) => accepted.findIndex((each) => each.attempt === attempt) < index,
  );
  if (repeated) {
    return `Two outcomes of attempt ${repeated.attempt} of a job (${kind}) were accepted.`;
  }
  const failures = accepted.filter(({ outcome }) => outcome === 'retried' || outcome === 'failed').length;
  return final && failures > final.failures
    ? `A job (${kind}) has ${final.failures} failures, but ${failures} were accepted.`
    : undefined;
}
