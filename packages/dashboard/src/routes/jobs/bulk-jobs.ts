import type { JobActionOptions, JobActionResult, JobTarget, JobBrowser } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.js';
import { route } from '../../api/route.js';
import type { BulkRequest, BulkResult } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { coreFilter } from './job-filter.js';

/**
 * How much one request does of all for which a filter holds: 2,000 jobs that are changed, or 25,000 that are looked at. So that
 * none takes long, and who asks can tell how far it is, and stop.
 */
const STEPS = 5;

export const bulkJobs = route<BulkResult, { body: BulkRequest }>({
  name: 'bulkJobs',
  method: 'POST',
  path: 'jobs/bulk',
  summary: 'Do something to several jobs: at a time to as many as go quickly',
  body: ref('BulkRequest'),
  answer: ref('BulkResult'),
  run: async ({ database, body, caller }) => {
    const { filter, cursor } = body;
    const by = { by: caller.name, ...(cursor !== undefined && { after: cursor }) };
    const { jobs } = database.queue;
    const { changed, skipped, next } = await ('ids' in filter
      ? act(jobs, body, filter.ids, by)
      : act(jobs, body, coreFilter(filter), { ...by, steps: STEPS }));
    return { changed, skipped, next: next ?? null };
  },
});

/** @throws ApiProblem */
function act(
  jobs: JobBrowser,
  { action, priority }: BulkRequest,
  target: JobTarget,
  by: JobActionOptions,
): Promise<JobActionResult> {
  switch (action) {
    case 'run-now':
      return jobs.runNow(target, by);
    case 'retry':
      return jobs.retry(target, by);
    case 'cancel':
      return jobs.cancel(target, by);
    case 'priority':
      if (priority === undefined) {
        throw new ApiProblem('invalid-request', '"priority" in the body is missing.', 'priority');
      }
      return jobs.changePriority(target, priority, by);
  }
}
