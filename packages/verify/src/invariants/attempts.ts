import type { Evidence } from '../evidence/evidence.js';
import type { HandlerCall, JobEvidence, ReportedOutcome } from '../evidence/gathered-evidence.js';
import type { Allowance } from '../faults/fault.js';
import type { InjectedFault } from '../faults/injected-faults.js';
import { doomedJob, unkeptJob } from '../workload/definitions.js';
import { hasNoHandler, isTransactional } from '../workload/events.js';
import { type Invariant, forEachJob } from './invariant.js';

/**
 * The attempt number is the fence, so two attempts must not share one. A worker that was stopped between claim and
 * handler starts the handler late, with a number that is out of date. That cannot be prevented.
 */
export const attemptsIncrease: Invariant = {
  name: 'attempts-increase',
  guarantee: 'The attempt numbers of a job only increase, and no two attempts have the same number.',
  check: forEachJob(findAttemptError),
};

function findAttemptError(job: JobEvidence, evidence: Evidence): string | undefined {
  const { kind, final } = job;
  // If the server has lost a claim, the attempt never was, and the next one has its number.
  const calls = job.calls.filter(({ from }) => !evidence.mayBeLost(from));
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

/** A worker reports an outcome after it is stored. A worker whose job was taken over must report it as lost. */
export const fenced: Invariant = {
  name: 'fenced',
  guarantee: 'No outcome is accepted from a worker that has lost the job, and none is accepted twice.',
  check: forEachJob(findFenceError),
};

/**
 * Returns whether a worker may have reported a success by mistake. After a lost answer it deletes the job again. If the
 * job is not kept, it cannot know which worker deleted it.
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

/** Returns whether the server may have lost the claim of a returned job. A worker returns jobs without a check. */
function isReturnOfLostClaim({ calls }: JobEvidence, outcome: ReportedOutcome, evidence: Evidence): boolean {
  const { attempt, process } = outcome;
  const isLost = (call: HandlerCall) =>
    call.attempt === attempt && call.process === process && evidence.mayBeLost(call.from);
  return outcome.outcome === 'returned' && calls.some(isLost);
}

/** A job has at most one of these outcomes, and no attempt after it. */
const ENDS: ReadonlySet<string> = new Set(['succeeded', 'failed', 'expired']);

function findFenceError(job: JobEvidence, evidence: Evidence): string | undefined {
  if (evidence.mayBeStoredTwice(job)) {
    return undefined;
  }
  const { kind, outcomes, final } = job;
  // What the server has lost was never accepted.
  const calls = job.calls.filter(({ from }) => !evidence.mayBeLost(from));
  const accepted = outcomes.filter(
    (each) =>
      each.outcome !== 'lost' &&
      !evidence.mayBeLost(each.at) &&
      !isGuess(job, each, evidence) &&
      !isReturnOfLostClaim(job, each, evidence),
  );
  const ends = accepted.filter(({ outcome }) => ENDS.has(outcome));
  if (ends.length > 1) {
    const list = ends.map(({ attempt, outcome, process }) => `${outcome} (attempt ${attempt}, ${process})`);
    return `A job (${kind}) has ended ${ends.length} times: ${list.join(', ')}.`;
  }
  const [end] = ends;
  const later = end && calls.find(({ attempt }) => attempt > end.attempt);
  if (later) {
    return (
      `A job (${kind}) has ${end.outcome} with attempt ${end.attempt} of ${end.process}, though ` +
      `${later.process} had started attempt ${later.attempt}.`
    );
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

const DOOMED_ATTEMPTS = doomedJob.retry.attempts;

/** The state of a finished job is the one that its handler or a cancellation produced. */
export const oneFinalState: Invariant = {
  name: 'one-final-state',
  guarantee: 'Each job ended once, with the outcome that its handler, a cancellation or its expiry time produced.',
  check: forEachJob(findStateError),
};

function findStateError({ id, kind, final, calls }: JobEvidence, evidence: Evidence): string | undefined {
  if (!final) {
    return undefined;
  }
  const cancelledAt = evidence.all.cancelled.get(id);
  if (cancelledAt !== undefined && !evidence.mayBeLost(cancelledAt)) {
    return final.state !== 'cancelled'
      ? `A job (${kind}) was cancelled, but has ${final.state}.`
      : calls.length > 0
        ? `A job (${kind}) was cancelled before it ran, but ran.`
        : undefined;
  }
  if (kind === doomedJob.name) {
    return final.state === 'failed' && final.failures === DOOMED_ATTEMPTS
      ? undefined
      : `A job that fails in each attempt has ${final.state} after ${final.failures} failures, not after ` +
          `${DOOMED_ATTEMPTS}.`;
  }
  if (final.state === 'cancelled') {
    // Without calls, a `cancel` without an answer may have cancelled it.
    const ran = calls.filter(({ from }) => !evidence.mayBeLost(from));
    return ran.length > 0 ? `A job (${kind}) ran and is cancelled, though no producer cancelled it.` : undefined;
  }
  if (final.state === 'failed') {
    return (
      `A job (${kind}) has failed after ${final.attempt} attempts and ${final.failures} failures, though its ` +
      `last attempt succeeds.`
    );
  }
  if (final.state === 'expired') {
    // `starts-or-expires` checks that.
    return undefined;
  }
  return hasNoHandler(kind) || calls.some(({ attempt, returned }) => attempt === final.attempt && returned)
    ? undefined
    : `A job (${kind}) has succeeded with attempt ${final.attempt}, but no handler of that attempt has returned.`;
}

/** An attempt that ended without an outcome, so that the job had to run again. */
interface Rerun {
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
const NOT_FINAL: ReadonlySet<string> = new Set(['retried', 'snoozed', 'parked', 'returned']);

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
    isTransactional(kind) &&
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
