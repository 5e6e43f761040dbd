import { type JobContext, type JobDefinition, type JobHandler, jobHandler } from '@tablequeue/typeorm';

/** One run of a held handler. */
export interface HeldRun {
  readonly job: JobContext;
  readonly end: (result?: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** A handler whose runs end when the test says so. */
export function heldHandler(definition: JobDefinition<void>): { runs: HeldRun[]; handler: JobHandler } {
  const runs: HeldRun[] = [];
  const handler = jobHandler(definition, (_payload, job) => new Promise((end, fail) => runs.push({ job, end, fail })));
  return { runs, handler };
}
