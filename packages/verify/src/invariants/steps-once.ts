import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence, StepRecord } from '../evidence/gathered-evidence.js';
import { AWAITED_SIGNAL, CHUNKS, durableJob } from '../workload/definitions.js';
import { ledgerToken } from '../workload/durable-handler.js';
import { type Invariant, forEachJob } from './invariant.js';

/** The effects that a durable job must have committed once. */
const EFFECTS = ['effect', ...Array.from({ length: CHUNKS }, (_, index) => `chunk ${index + 1}`)];

/** Durable jobs record each call of a step, and each result that they get. */
export const stepsOnce: Invariant = {
  name: 'steps-once',
  guarantee:
    'A stored step has one result and does not run again, a transactional step takes effect exactly once, and a ' +
    'signal is not lost.',
  check: forEachJob((job, evidence) => {
    return job.kind === durableJob.name
      ? (findResultError(job, evidence) ?? findEffectError(job, evidence))
      : undefined;
  }),
};

function findResultError(job: JobEvidence, evidence: Evidence): string | undefined {
  const first = new Map<string, StepRecord>();
  // What the server has lost was never stored.
  for (const record of job.steps.filter(({ at }) => !evidence.mayBeLost(at))) {
    const stored = first.get(record.step);
    if (stored === undefined) {
      if (record.value !== undefined) {
        first.set(record.step, record);
      }
    } else if (record.value === undefined) {
      // A stopped worker runs the function, and cannot store its result.
      if (!evidence.faultThatAllows('rerun', record.process, stored.at, record.at)) {
        return `The step "${record.step}" ran on ${record.process} after its result was stored.`;
      }
    } else if (record.value !== stored.value) {
      return `The step "${record.step}" has the results ${stored.value} and ${record.value}.`;
    }
  }
  const signal = evidence.all.enqueues.get(job.token)?.signal;
  const received = first.get(AWAITED_SIGNAL);
  return signal !== undefined && received !== undefined && received.value !== JSON.stringify(signal)
    ? `The signal ${signal} was committed with the job, but its wait ended with ${received.value}.`
    : undefined;
}

function findEffectError({ token, final, calls }: JobEvidence, evidence: Evidence): string | undefined {
  const { all } = evidence;
  // The run goes on although the server has lost what it had committed.
  const mayMiss = calls.some(({ from, to = Infinity }) => evidence.faultThatAllows('loss', undefined, from, to));
  for (const step of EFFECTS) {
    const effects = all.effects.get(ledgerToken(token, step)) ?? [];
    if (effects.length > 1 || (final?.state === 'succeeded' && effects.length === 0 && !mayMiss)) {
      return (
        `"${step}" of a durable job, which ${final ? `has ${final.state}` : 'has not ended'}, has taken effect ` +
        `${effects.length} times, in the attempts [${effects.join(', ')}].`
      );
    }
  }
  return undefined;
}
