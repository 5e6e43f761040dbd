import type { Evidence } from '../evidence/evidence.js';
import { INVARIANTS } from '../invariants/index.js';
import { reruns } from '../invariants/reruns-explained.js';
import type { ResolvedOptions } from '../options.js';

/** A promise that was broken. */
export interface BrokenPromise {
  /** The name of the invariant. */
  readonly invariant: string;
  readonly promise: string;
  readonly text: string;
  readonly ids: readonly string[];
}

/** What a run has come to. */
export interface Verdict {
  /** Whether every promise was kept. */
  readonly isGood: boolean;
  readonly database: string;
  /** Repeats load and faults. */
  readonly seed: number;
  readonly durationMs: number;
  readonly processes: { readonly workers: number; readonly producers: number; readonly started: number };
  readonly jobs: {
    /** Whose enqueue was committed. */
    readonly enqueued: number;
    /** Whose transaction was rolled back, or that another job with its unique key kept out. */
    readonly notEnqueued: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
    /** Calls of handlers. */
    readonly runs: number;
    /** Attempts that came to nothing, so that their jobs ran again. */
    readonly reruns: number;
    /** The same by the fault that explains them. */
    readonly rerunsByFault: Readonly<Record<string, number>>;
    /** Outcomes that were refused, because the job had been taken over. */
    readonly refused: number;
    /** Jobs that have come to their end although an attempt of theirs had come to nothing. */
    readonly recovered: number;
  };
  /** From the beginning of a fault to the next attempt of a job whose run it had broken off, in ms; null without any. */
  readonly slowestRecoveryMs: number | null;
  /** How often each has struck. */
  readonly faults: Readonly<Record<string, number>>;
  /** The names of what was checked. */
  readonly checked: readonly string[];
  readonly broken: readonly BrokenPromise[];
  /** The folder with the journals, and the logs of the processes. It is kept where a promise was broken. */
  readonly journals?: string;
}

/** Checks all promises, and counts. */
export function judge(evidence: Evidence, options: ResolvedOptions): Verdict {
  const promised = INVARIANTS.filter((invariant) => invariant.isPromised?.(evidence) ?? true);
  const broken = promised.flatMap((invariant) =>
    invariant.check(evidence).map((violation): BrokenPromise => {
      return { invariant: invariant.name, promise: invariant.promise, ...violation };
    }),
  );
  const { all, byToken } = evidence;
  const jobs = [...all.jobs.values()];
  const again = reruns(evidence);
  const delays = again.flatMap(({ delay }) => (delay === undefined ? [] : [delay]));
  const ended = (state: string) => jobs.filter(({ final }) => final?.state === state).length;
  return {
    isGood: broken.length === 0,
    database: options.database,
    seed: options.seed,
    durationMs: options.durationMs,
    processes: { workers: options.workers, producers: options.producers, started: all.processes.length },
    jobs: {
      enqueued: jobs.length,
      notEnqueued: [...all.enqueues.keys()].filter((token) => !byToken.has(token)).length,
      // Those that leave nothing behind have succeeded, or are told of by an invariant.
      succeeded: jobs.filter(({ final, live }) => !live && (!final || final.state === 'succeeded')).length,
      failed: ended('failed'),
      cancelled: ended('cancelled'),
      runs: jobs.reduce((sum, { calls }) => sum + calls.length, 0),
      reruns: again.length,
      rerunsByFault: countBy(again, ({ cause }) => cause?.fault ?? 'nothing'),
      refused: jobs.reduce((sum, { settled }) => sum + settled.filter(({ how }) => how === 'lost').length, 0),
      recovered: new Set(again.flatMap(({ job }) => (job.live ? [] : [job.id]))).size,
    },
    slowestRecoveryMs: delays.length === 0 ? null : Math.round(delays.reduce((most, each) => Math.max(most, each))),
    faults: countBy(all.faults, ({ fault }) => fault),
    checked: promised.map(({ name }) => name),
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
