import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';
import type { Allowance } from '../faults/fault.js';
import type { InjectedFault } from '../faults/injected-faults.js';
import { effectJob } from '../workload/definitions.js';
import type { Invariant } from './invariant.js';

/** An attempt that ended without an outcome, so that the job had to run again. */
export interface Rerun {
  readonly job: JobEvidence;
  /** The attempt without an outcome. */
  readonly attempt: number;
  /** The fault that explains it. */
  readonly cause: InjectedFault | undefined;
  /**
   * The time from the start of the fault to the next attempt, in ms. Undefined if no attempt followed, or if no handler
   * was called, because the time of the claim is unknown then.
   */
  readonly delay: number | undefined;
}

/** The outcomes after which another attempt is expected. */
const NOT_FINAL: ReadonlySet<string> = new Set(['retried', 'snoozed', 'returned']);

/** The queue runs jobs at least once, but never more than once without a reason. */
export const rerunsExplained: Invariant = {
  name: 'reruns-explained',
  guarantee: 'A job without a failure ran again only if a fault hit its worker.',
  check: (evidence) =>
    findReruns(evidence).flatMap(({ job, attempt, cause }) => {
      const call = job.calls.find((each) => each.attempt === attempt);
      const by = call ? `, which ${call.process} had started` : '';
      return cause
        ? []
        : [{ text: `A job (${job.kind}) ran again after attempt ${attempt}${by}, without a fault.`, ids: [job.id] }];
    }),
};

/** Returns all attempts without an outcome. */
export function findReruns(evidence: Evidence): Rerun[] {
  return [...evidence.all.jobs.values()].flatMap((job) => {
    const last = Math.max(job.final?.attempt ?? 0, ...job.calls.map(({ attempt }) => attempt));
    const reruns: Rerun[] = [];
    for (let attempt = 1; attempt < last; attempt++) {
      const rerun = rerunAfter(job, attempt, evidence);
      if (rerun) {
        reruns.push(rerun);
      }
    }
    return reruns;
  });
}

/**
 * On Galera, a transactional attempt may not see its own claim yet if another node made it. The attempt is then rolled
 * back and returned, and reported as lost.
 */
function isReturnedOnGalera({ kind, outcomes }: JobEvidence, attempt: number, { all }: Evidence): boolean {
  return (
    all.isGalera &&
    kind === effectJob.name &&
    outcomes.some((each) => each.attempt === attempt && each.outcome === 'lost')
  );
}

function rerunAfter(job: JobEvidence, attempt: number, evidence: Evidence): Rerun | undefined {
  if (job.outcomes.some((each) => each.attempt === attempt && NOT_FINAL.has(each.outcome))) {
    return undefined;
  }
  if (isReturnedOnGalera(job, attempt, evidence)) {
    return undefined;
  }
  const call = job.calls.find((each) => each.attempt === attempt);
  const next = job.calls.find((each) => each.attempt > attempt);
  const enqueuedAt = evidence.all.enqueues.get(job.token)?.from ?? 0;
  const previous = job.calls.findLast((each) => each.attempt < attempt);
  // An attempt without a call was claimed at some time between the calls before and after it.
  const from = call?.from ?? previous?.from ?? enqueuedAt;
  const to = next?.from ?? Infinity;
  const faultFor = (kind: Allowance) => evidence.faultThatAllows(kind, call?.process, Math.min(from, to), to);
  // A claim that a lock interrupts is undone: the attempt counts, but no handler is called.
  const cause = faultFor('rerun') ?? (call ? undefined : faultFor('delay'));
  // The fault may have ended when the attempt started.
  const since = cause && Math.max(cause.from, from);
  return { job, attempt, cause, delay: call && next && since !== undefined && since < to ? to - since : undefined };
}
