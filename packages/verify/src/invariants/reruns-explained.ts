import type { Evidence, JobEvidence } from '../evidence/evidence.js';
import type { Allowance } from '../faults/fault.js';
import type { InjectedFault } from '../faults/injected-faults.js';
import { effectJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

/** An attempt that ended without an outcome, so that the job had to run again. */
export interface Rerun {
  readonly job: JobEvidence;
  /** The attempt that came to nothing. */
  readonly attempt: number;
  /** What explains it. */
  readonly cause: InjectedFault | undefined;
  /**
   * From when it was certain that it would come to nothing to the next attempt, in ms; undefined where nothing followed, and
   * where it never began: nobody knows then when the job was claimed.
   */
  readonly delay: number | undefined;
}

/** Outcomes after which the next attempt is as it should be. */
const ASKS_FOR_ANOTHER: ReadonlySet<string> = new Set(['retried', 'snoozed', 'returned']);

/** At least once means twice now and then: but never without a reason. */
export const rerunsExplained: Invariant = {
  name: 'reruns-explained',
  promise: 'No job has run again without having failed, but where a fault has hit its worker.',
  check: (evidence) =>
    reruns(evidence).flatMap(({ job, attempt, cause }) => {
      const run = job.calls.find((each) => each.attempt === attempt);
      const by = run ? `, which ${run.process} had begun` : '';
      return cause
        ? []
        : [
            {
              text: `A job (${job.kind}) was run again after attempt ${attempt}${by}, and no fault explains it.`,
              ids: [job.id],
            },
          ];
    }),
};

/** All attempts that came to nothing. */
export function reruns(evidence: Evidence): Rerun[] {
  return [...evidence.all.jobs.values()].flatMap((job) => {
    const last = Math.max(job.final?.attempt ?? 0, ...job.calls.map(({ attempt }) => attempt));
    const found: Rerun[] = [];
    for (let attempt = 1; attempt < last; attempt++) {
      const rerun = rerunOf(job, attempt, evidence);
      if (rerun) {
        found.push(rerun);
      }
    }
    return found;
  });
}

/**
 * On Galera a transactional run may not see its own claim yet, which its worker took at another node: it is rolled back and
 * handed back, and told of as lost.
 */
function isHandedBack({ kind, settled }: JobEvidence, attempt: number, { all }: Evidence): boolean {
  return (
    all.isGalera && kind === effectJob.name && settled.some((each) => each.attempt === attempt && each.how === 'lost')
  );
}

function rerunOf(job: JobEvidence, attempt: number, evidence: Evidence): Rerun | undefined {
  if (job.settled.some((each) => each.attempt === attempt && ASKS_FOR_ANOTHER.has(each.how))) {
    return undefined;
  }
  if (isHandedBack(job, attempt, evidence)) {
    return undefined;
  }
  const run = job.calls.find((each) => each.attempt === attempt);
  const next = job.calls.find((each) => each.attempt > attempt);
  const enqueuedAt = evidence.all.enqueues.get(job.token)?.from ?? 0;
  const before = job.calls.findLast((each) => each.attempt < attempt);
  // Where nobody has noted that it began, it was claimed at some time between the ones before and behind.
  const from = run?.from ?? before?.from ?? enqueuedAt;
  const to = next?.from ?? Infinity;
  const excuse = (kind: Allowance) => evidence.faultThatAllows(kind, run?.process, Math.min(from, to), to);
  // A claim that a lock has broken off is taken back: the attempt is counted, and no handler was called.
  const cause = excuse('rerun') ?? (run ? undefined : excuse('delay'));
  // It may have been over when the attempt began.
  const since = cause && Math.max(cause.from, from);
  return { job, attempt, cause, delay: run && next && since !== undefined && since < to ? to - since : undefined };
}
