import type { Engine } from '../../servers/engines.js';

/** The task of a process of the soak. Durations in ms. */
export interface ProcessPlan {
  readonly engine: Engine;
  readonly url: string;
  /** Jobs a second. */
  readonly rate: number;
  /** How long finished jobs are kept. */
  readonly retentionAge: number;
}

/** The answer of a process to `measure`. */
export interface ProcessVitals {
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** The memory in use on the heap after a garbage collection, and outside of it, in bytes. */
  readonly heap: number;
  readonly external: number;
  /** CPU time since its start, in ms. */
  readonly cpu: number;
  /** What keeps it alive, by kind, such as `Timeout` and `TCPSocketWrap`: how many of each. */
  readonly resources: Readonly<Record<string, number>>;
  /** What it has done since its start, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Since it was asked last, from due to started, in ms, of the jobs that latency is measured with. */
  readonly latencies: readonly number[];
}

/** The messages of a process. */
export type Message = 'ready' | 'quiet' | { readonly vitals: ProcessVitals };

/** What it is asked. */
export type Request = 'measure' | 'quiet';

/** Hands the plan over, as JSON. */
export const PLAN_VARIABLE = 'SOAK_PLAN';
