import { groupBy } from '@tablequeue/typeorm/internal';

import type { Evidence } from '../evidence/evidence.js';
import type { EnqueueRecord, JobEvidence } from '../evidence/gathered-evidence.js';
import { certainIntervals } from './concurrency.js';
import type { Invariant, Violation } from './invariant.js';

/** A job of an order key: when it was enqueued, and when it certainly ran. */
interface KeyedJob {
  readonly job: JobEvidence;
  readonly enqueue: EnqueueRecord;
  /** When its commit was confirmed; undefined if it was not. */
  readonly committedAt: number | undefined;
  /** From the start of its first attempt to the end of its last one. */
  readonly from: number;
  readonly to: number;
}

/**
 * Compares the jobs of each key in the order in which they started. Between the first and the last attempt of a job no
 * other one of its key starts. What the server has lost runs again, after others that have run.
 */
export const keysInOrder: Invariant = {
  name: 'keys-in-order',
  guarantee:
    'The jobs of an order key run one after another, with all their attempts, and in the order of their commits.',
  check(evidence) {
    const byKey = groupBy(keyedJobs(evidence), ({ enqueue }) => enqueue.order);
    return [...byKey].flatMap(([key, jobs]) => [
      ...findOverlaps(key as string, jobs, evidence),
      // A node of a cluster does not know yet what another one has just committed.
      ...(evidence.all.isGalera ? [] : findOvertaken(key as string, jobs, evidence)),
    ]);
  },
};

function keyedJobs(evidence: Evidence): KeyedJob[] {
  const { all, byToken } = evidence;
  const ordered = [...all.enqueues.values()].filter(({ order }) => order !== undefined);
  const tokens = new Set(ordered.map(({ token }) => token));
  const spans = groupBy(
    certainIntervals(evidence, ({ token }) => tokens.has(token)),
    ({ job }) => job.token,
  );
  return ordered
    .flatMap((enqueue) => {
      const job = byToken.get(enqueue.token);
      const intervals = spans.get(enqueue.token);
      if (!job || !intervals) {
        return [];
      }
      const from = Math.min(...intervals.map((interval) => interval.from));
      const to = Math.max(...intervals.map((interval) => interval.to));
      return [{ job, enqueue, committedAt: committedAt(enqueue, evidence), from, to }];
    })
    .toSorted((a, b) => a.from - b.from);
}

function committedAt({ transaction, to, created, error }: EnqueueRecord, { all }: Evidence): number | undefined {
  if (transaction !== undefined) {
    return all.transactions.get(transaction)?.committedAt;
  }
  return created && error === undefined ? to : undefined;
}

function findOverlaps(key: string, jobs: readonly KeyedJob[], evidence: Evidence): Violation[] {
  let longest: KeyedJob | undefined;
  return jobs.flatMap((each) => {
    const before = longest;
    longest = before && before.to > each.to ? before : each;
    return before && before.to > each.from && !evidence.faultThatAllows('loss', undefined, before.from, before.to)
      ? [violation(`A job of the order key "${key}" started before another one had ended`, before, each)]
      : [];
  });
}

/** Compares each job with the one that was enqueued latest among those that have started before it. */
function findOvertaken(key: string, jobs: readonly KeyedJob[], evidence: Evidence): Violation[] {
  let latest: KeyedJob | undefined;
  return jobs.flatMap((each) => {
    const before = latest;
    latest = before && before.enqueue.from > each.enqueue.from ? before : each;
    const [first] = each.job.calls;
    return before &&
      // A job without a recorded first attempt was claimed by a worker that died.
      first?.attempt === 1 &&
      first.from > before.from &&
      each.committedAt !== undefined &&
      each.committedAt < before.enqueue.from &&
      !evidence.faultThatAllows('loss', undefined, each.committedAt, each.from)
      ? [
          violation(
            `A job of the order key "${key}" started after one that was enqueued after its commit`,
            before,
            each,
          ),
        ]
      : [];
  });
}

function violation(text: string, before: KeyedJob, { job }: KeyedJob): Violation {
  return { text: `${text}.`, ids: [before.job.id, job.id] };
}
