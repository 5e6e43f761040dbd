import type { ClaimedJob } from '../jobs/claimed-job.js';

/** The jobs that have made a durable call in this attempt. A set, so that other jobs do not pay for it. */
const withSteps = new WeakSet<ClaimedJob>();

/** A job makes a durable call. */
export function markDurable(job: ClaimedJob): void {
  withSteps.add(job);
}

/** Whether a job can have steps: from this attempt, or from an earlier one. */
export function mayHaveSteps(job: ClaimedJob): boolean {
  return job.attempt > 1 || withSteps.has(job);
}
