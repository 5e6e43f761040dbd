import {
  type BatchJob,
  type JobContext,
  type JobDefinition,
  type JobHandler,
  batchHandler,
  jobHandler,
} from '@tablequeue/typeorm';

import { waitFor } from './wait-for.js';

/** One run of a held handler. */
export interface HeldRun {
  readonly job: JobContext;
  readonly end: (result?: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** A handler whose runs end when the test ends them. */
export function heldHandler(definition: JobDefinition<void>): { runs: HeldRun[]; handler: JobHandler } {
  const runs: HeldRun[] = [];
  const handler = jobHandler(definition, (_payload, job) => new Promise((end, fail) => runs.push({ job, end, fail })));
  return { runs, handler };
}

/** One call of a held batch handler. */
export interface HeldCall {
  readonly jobs: readonly BatchJob<number>[];
  readonly end: () => void;
}

/** A batch handler whose calls end when the test ends them. */
export function heldBatchHandler(definition: JobDefinition<number>) {
  const calls: HeldCall[] = [];
  const handler: JobHandler = batchHandler(definition, (jobs) => {
    return new Promise<void>((end) => calls.push({ jobs, end }));
  });
  return { calls, handler, first: () => waitFor('the call', () => calls[0]) };
}
