import type { DatabaseVitals } from './database/database-vitals.js';
import type { ProcessVitals } from './processes/messages.js';
import type { SoakPlan } from './plan.js';

/** The processes of a soak. */
export const PROCESSES = ['producer', 'worker 1', 'worker 2', 'dashboard'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** Everything at one moment. */
export interface Sample {
  /** Since the first sample, in ms. */
  readonly at: number;
  readonly processes: Readonly<Record<ProcessName, Omit<ProcessVitals, 'latencies'>>>;
  /** From due to started, in ms, of what has started since the sample before; undefined where nothing has. */
  readonly latency: { readonly p50: number; readonly p99: number } | undefined;
  readonly database: DatabaseVitals;
  /** How many processes of the machine wanted a processor, on average over the last minute. */
  readonly load: number | undefined;
}

/** What was run, and where. */
export interface SoakHeader {
  readonly plan: SoakPlan;
  readonly version: string;
  readonly machine: string;
}

/** A whole run. */
export interface SoakRecord {
  readonly header: SoakHeader;
  readonly samples: readonly Sample[];
}
