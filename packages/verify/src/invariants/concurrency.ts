import { groupBy } from '@tablequeue/typeorm/internal';

import type { Evidence } from '../evidence/evidence.js';
import type { JobEvidence } from '../evidence/gathered-evidence.js';
import { LIMIT, isOrdered, limitedJob } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/** Across all processes. A handler starts after the claim of its job, and ends before its outcome is stored. */
export const limitsKept: Invariant = {
  name: 'limits-kept',
  guarantee: 'A limited queue never ran more jobs at a time than its limit.',
  check(evidence) {
    const kinds = new Set([...evidence.all.jobs.values()].map(({ kind }) => kind));
    return [...kinds].flatMap((kind) => {
      const limit = kind === limitedJob.name ? LIMIT : isOrdered(kind) ? 1 : Infinity;
      const intervals = limit === Infinity ? [] : certainIntervals(evidence, (job) => job.kind === kind);
      const overlaps = findOverlaps(intervals, limit).filter((overlap) => {
        return !evidence.faultThatAllows('limits', undefined, overlap[0]!.from, overlap.at(-1)!.from);
      });
      return overlaps.map((overlap) => ({
        text: `${overlap.length} jobs (${kind}) ran at the same time, but the limit is ${limit}.`,
        ids: overlap.map(({ job }) => job.id),
      }));
    });
  },
};

/** A unique key is held until its job has ended. */
export const uniqueAlone: Invariant = {
  name: 'unique-alone',
  guarantee: 'Two jobs with the same unique key never ran at the same time.',
  check(evidence) {
    const byKey = groupBy(
      certainIntervals(evidence, ({ key }) => key !== undefined),
      ({ job }) => job.key,
    );
    return [...byKey].flatMap(([key, intervals]) =>
      findOverlaps(intervals, 1).map((overlap) => ({
        text:
          `Jobs with the unique key "${key}" ran at the same time, in ` +
          `${overlap.map(({ process }) => process).join(' and ')}.`,
        ids: overlap.map(({ job }) => job.id),
      })),
    );
  },
};

/**
 * Compares only jobs whose enqueues did not overlap, and leaves out two cases. A job without a recorded first attempt
 * was claimed by a worker that died, so it starts when it is found. A job with a locked row is skipped. Galera does not
 * give the guarantee: claims on several nodes do not wait for one another, and named locks are local to a node.
 */
export const inOrder: Invariant = {
  name: 'in-order',
  guarantee: 'The jobs of a queue limited to one at a time start in the order of their enqueues.',
  applies: ({ all }) => !all.isGalera,
  check(evidence) {
    const { all, byToken } = evidence;
    const violations: Violation[] = [];
    const byProducer = groupBy(
      [...all.enqueues.values()].filter(({ kind, created }) => isOrdered(kind) && created),
      ({ process }) => process,
    );
    for (const enqueues of byProducer.values()) {
      let last:
        { readonly from: number; readonly sequence: number; readonly id: string; readonly since: number } | undefined;
      for (const { token, sequence = 0, from: since } of enqueues.toSorted(
        (a, b) => (a.sequence ?? 0) - (b.sequence ?? 0),
      )) {
        const job = byToken.get(token);
        const first = job?.calls[0];
        if (first?.attempt === 1) {
          if (!last || first.from > last.from) {
            last = { from: first.from, sequence, id: job!.id, since };
          } else if (
            !evidence.faultThatAllows('order', undefined, first.from, last.from) &&
            // The time of its enqueue is the place of a job in the queue.
            !evidence.faultThatAllows('clock', undefined, last.since, last.from)
          ) {
            violations.push({
              text: `Job number ${sequence} of a queue in order started before number ${last.sequence}.`,
              ids: [job!.id, last.id],
            });
          }
        }
      }
    }
    return violations;
  },
};

/** A time during which a job certainly ran. */
export interface Interval {
  readonly job: JobEvidence;
  readonly process: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the intervals in which the matching jobs certainly ran and counted, ordered by start. */
export function certainIntervals(evidence: Evidence, matches: (job: JobEvidence) => boolean): Interval[] {
  return (
    [...evidence.all.jobs.values()]
      .filter(matches)
      .flatMap((job) =>
        job.calls.map((call) => ({
          job,
          process: call.process,
          from: call.from,
          to: evidence.certainEndOf(job, call),
        })),
      )
      // A call counts for nothing if its job may have been taken over before it started.
      .filter(({ from, to }) => from < to)
      .sort((a, b) => a.from - b.from)
  );
}

/**
 * Returns the sets of more than `limit` intervals that overlap: one set for each interval that starts above the limit.
 */
function findOverlaps(intervals: readonly Interval[], limit: number): Interval[][] {
  let open: Interval[] = [];
  const found: Interval[][] = [];
  for (const interval of intervals) {
    open = open.filter(({ to }) => to > interval.from);
    open.push(interval);
    if (open.length > limit) {
      found.push([...open]);
    }
  }
  return found;
}
