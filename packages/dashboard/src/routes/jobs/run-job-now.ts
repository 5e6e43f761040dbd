import { jobChange } from './job-change.js';

export const runJobNow = jobChange({
  name: 'runJobNow',
  method: 'POST',
  path: 'jobs/:id/run-now',
  summary: 'Have a scheduled job run now, before its time',
  when: 'is scheduled',
  change: (jobs, id, by) => jobs.runNow(id, by),
});
