import type { Evidence } from '../evidence/evidence.js';
import { INVARIANTS } from '../invariants/index.js';
import { findReruns } from '../invariants/attempts.js';
import type { ResolvedOptions } from '../options.js';

/** A violation of a guarantee. */
export interface BrokenGuarantee {
  /** The name of the check: `no-job-lost`. */
  readonly invariant: string;
  /** The guarantee, in one sentence. */
  readonly guarantee: string;
  /** What happened, in one sentence. */
  readonly text: string;
  /** The ids of the jobs. */
  readonly ids: readonly string[];
}

/** The result of a run. */
export interface Verdict {
  /** Whether all guarantees hold. */
  readonly isGood: boolean;
  /** The type of the database. */
  readonly database: string;
  /** Repeats the load and the faults, as the option `seed`. */
  readonly seed: number;
  /** How long jobs were enqueued, in ms. */
  readonly durationMs: number;
  /** `started` includes the processes that replaced others. */
  readonly processes: { readonly workers: number; readonly producers: number; readonly started: number };
  readonly jobs: {
    /** Jobs whose enqueue was committed. */
    readonly enqueued: number;
    /** Jobs whose transaction was rolled back, or whose unique key another job had. */
    readonly notEnqueued: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly expired: number;
    /** Calls of handlers. */
    readonly attempts: number;
    /** Attempts without an outcome, after which the job ran again. */
    readonly reruns: number;
    /** The same, by the name of the fault that explains them. */
    readonly rerunsByFault: Readonly<Record<string, number>>;
    /** Outcomes that were rejected because another worker had taken the job over. */
    readonly rejected: number;
    /** Jobs that ended although one of their attempts had no outcome. */
    readonly recovered: number;
  };
  /** The longest time from the start of a fault to the next attempt of an interrupted job, in ms; null without any. */
  readonly slowestRecoveryMs: number | null;
  /** How often each fault was injected, by name. */
  readonly faults: Readonly<Record<string, number>>;
  /** The names of the checks. */
  readonly checked: readonly string[];
  /** Empty if all guarantees hold. */
  readonly broken: readonly BrokenGuarantee[];
  /** The folder with the records and logs of all processes. It is kept only if a guarantee is broken. */
  readonly journals?: string;
}

/** Checks all guarantees, and counts. */
export function createVerdict(evidence: Evidence, options: ResolvedOptions): Verdict {
  const invariants = INVARIANTS.filter((invariant) => invariant.applies?.(evidence) ?? true);
  const broken = invariants.flatMap((invariant) =>
    invariant.check(evidence).map((violation): BrokenGuarantee => {
      return { invariant: invariant.name, guarantee: invariant.guarantee, ...violation };
    }),
  );
  const { all, byToken } = evidence;
  const jobs = [...all.jobs.values()];
  const reruns = findReruns(evidence);
  const delays = reruns.flatMap(({ delay }) => (delay === undefined ? [] : [delay]));
  const countEnded = (state: string) => jobs.filter(({ final }) => final?.state === state).length;
  return {
    isGood: broken.length === 0,
    database: options.database,
    seed: options.seed,
    durationMs: options.durationMs,
    processes: { workers: options.workers, producers: options.producers, started: all.processes.length },
    jobs: {
      enqueued: jobs.length,
      notEnqueued: [...all.enqueues.keys()].filter((token) => !byToken.has(token)).length,
      // A job without a row has succeeded and is not kept. A lost one is reported by `no-job-lost`.
      succeeded: jobs.filter(({ final, live }) => !live && (!final || final.state === 'succeeded')).length,
      failed: countEnded('failed'),
      cancelled: countEnded('cancelled'),
      expired: countEnded('expired'),
      attempts: jobs.reduce((sum, { calls }) => sum + calls.length, 0),
      reruns: reruns.length,
      rerunsByFault: countBy(reruns, ({ cause }) => cause?.fault ?? 'nothing'),
      rejected: jobs.reduce((sum, job) => sum + job.outcomes.filter(({ outcome }) => outcome === 'lost').length, 0),
      recovered: new Set(reruns.flatMap(({ job }) => (job.live ? [] : [job.id]))).size,
    },
    slowestRecoveryMs: delays.length === 0 ? null : Math.round(delays.reduce((most, each) => Math.max(most, each))),
    faults: countBy(all.faults, ({ fault }) => fault),
    checked: invariants.map(({ name }) => name),
    broken,
  };
}

function countBy<T>(all: readonly T[], nameOf: (each: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of all) {
    const name = nameOf(each);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
