import { defineJob } from '@tablequeue/typeorm';

import type { WorkerConfig } from './worker-process.js';

/** A job that is unique by the number it is given. */
export const uniqueJob = defineJob<{ readonly key: number; readonly by: number }>('unique', { queue: 'unique' });

/** The task of an enqueuing process. */
export interface EnqueuingConfig extends WorkerConfig {
  readonly keys: number;
  readonly rounds: number;
}

/** What it has done. */
export interface EnqueuingReport {
  /** The ids of jobs that its calls returned as created. */
  readonly created: readonly string[];
  /** How often a call reported that another job has the key. */
  readonly clashes: number;
  /** How many of the application's transactions it ran again. */
  readonly deadlocks: number;
  /** What went wrong. */
  readonly errors: readonly string[];
}
