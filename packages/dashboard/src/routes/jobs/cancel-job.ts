import { jobChange } from './job-change.js';

export const cancelJob = jobChange({
  name: 'cancelJob',
  method: 'POST',
  path: 'jobs/:id/cancel',
  summary: 'Cancel a job; one that runs is asked to end',
  when: 'has not ended',
  change: (jobs, id, by) => jobs.cancel(id, by),
});
