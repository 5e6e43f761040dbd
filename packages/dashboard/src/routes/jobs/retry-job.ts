import { jobChange } from './job-change.js';

export const retryJob = jobChange({
  name: 'retryJob',
  method: 'POST',
  path: 'jobs/:id/retry',
  summary: 'Have a job run again that has failed or was cancelled',
  when: 'has failed or was cancelled',
  change: (jobs, id, by) => jobs.retry(id, by),
});
