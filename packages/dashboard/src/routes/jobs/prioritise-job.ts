import type { PriorityRequest } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { jobChange } from './job-change.js';

export const prioritiseJob = jobChange<PriorityRequest>({
  name: 'prioritiseJob',
  method: 'PUT',
  path: 'jobs/:id/priority',
  summary: 'Give a job that waits another priority',
  body: ref('PriorityRequest'),
  when: 'waits, and has another priority',
  change: (jobs, id, by, { priority }) => jobs.changePriority(id, priority, by),
});
