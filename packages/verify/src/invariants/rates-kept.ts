import { groupBy } from '@tablequeue/typeorm/internal';

import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';
import { type NumericRate, RATE, TENANT_RATE, ratedJob, tenantJob } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/** The times of claims are stored in whole ms, and those of tokens more exactly. */
const ROUNDING = 1;

/** The start of a job's last attempt. */
interface Start {
  readonly job: JobEvidence;
  /** When it was claimed, in ms by the database's clock. */
  readonly claimedAt: number;
  /** When its handler was called, by `monotonic`. */
  readonly from: number;
}

/**
 * By the stored times of the claims alone: claims and tokens are committed together, so this holds after a loss too,
 * and a clock that jumps grants no second burst. The claim of a later attempt replaces that of an earlier one, so only
 * the last claim of each job counts, and fewer starts are seen than there were.
 */
export const ratesKept: Invariant = {
  name: 'rates-kept',
  guarantee: 'In any time, a queue or tenant with a rate starts at most its burst and the jobs of that time.',
  check: (evidence) => [...check(ratedJob.name, RATE, evidence), ...check(tenantJob.name, TENANT_RATE, evidence)],
};

function check(kind: string, rate: NumericRate, evidence: Evidence): Violation[] {
  const starts = groupBy(startsOf(kind, evidence), ({ job }) => evidence.all.enqueues.get(job.token)?.tenant);
  return [...starts].flatMap(([tenant, own]) =>
    findExcesses(
      own.toSorted((a, b) => a.claimedAt - b.claimedAt),
      rate,
    )
      .filter((excess) => !mayExceed(excess, evidence))
      .map((excess) => {
        const time = excess.at(-1)!.claimedAt - excess[0]!.claimedAt;
        const owner = tenant === undefined ? '' : ` of ${tenant}`;
        return {
          text: `${excess.length} jobs (${kind})${owner} were claimed within ${time} ms, above their rate.`,
          ids: excess.map(({ job }) => job.id),
        };
      }),
  );
}

function startsOf(kind: string, { all }: Evidence): Start[] {
  return [...all.jobs.values()].flatMap((job) => {
    const { final, calls } = job;
    const call = calls.findLast(({ attempt }) => attempt === final?.attempt);
    return job.kind === kind && final?.claimedAt != null && call
      ? [{ job, claimedAt: final.claimedAt, from: call.from }]
      : [];
  });
}

/**
 * Returns the starts for which there was no token: for each, those from when the bucket was full to the first one
 * without a token. The bucket is that of `RateLimit`: each start takes a token, and the tokens come back one by one.
 */
function findExcesses(starts: readonly Start[], { jobs, per, burst }: NumericRate): (readonly Start[])[] {
  const found = new Map<number, readonly Start[]>();
  const cost = per / jobs;
  let fullAt = -Infinity;
  let first = 0;
  for (const [index, { claimedAt }] of starts.entries()) {
    if (fullAt <= claimedAt) {
      [fullAt, first] = [claimedAt, index];
    }
    fullAt += cost;
    if (fullAt > claimedAt + burst * cost + ROUNDING && !found.has(first)) {
      found.set(first, starts.slice(first, index + 1));
    }
  }
  return [...found.values()];
}

/** The rate may have been gone. The clock of one node of a cluster may have jumped, and not those of the others. */
function mayExceed(excess: readonly Start[], evidence: Evidence): boolean {
  const times = excess.map(({ from }) => from);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  return (evidence.all.isGalera ? (['limits', 'clock'] as const) : (['limits'] as const)).some(
    (kind) => evidence.faultThatAllows(kind, undefined, from, to) !== undefined,
  );
}
