import { route } from '../../api/route.js';
import type { JobDetail } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { JOB, JOB_PROBLEMS, type JobParams, findJob, jobDetail } from './job-detail.js';

export const showJob = route<JobDetail, JobParams>({
  name: 'showJob',
  method: 'GET',
  path: 'jobs/:id',
  summary: 'A job with its attempts',
  params: JOB,
  answer: ref('JobDetail'),
  problems: JOB_PROBLEMS,
  run: async ({ database, params: { id }, options, caller }) =>
    jobDetail(await database.readings.of(['job', id], () => findJob(database, id)), options, caller),
});
