import type { ActionOptions, JobActionResult, JobTarget, StoredJobs } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.js';
import { route } from '../../api/route.js';
import type { BulkRequest, BulkResult } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { coreFilter } from './job-filter.js';

export const bulkJobs = route<BulkResult, { body: BulkRequest }>({
  name: 'bulkJobs',
  method: 'POST',
  path: 'jobs/bulk',
  summary: 'Do something to several jobs',
  body: ref('BulkRequest'),
  answer: ref('BulkResult'),
  run: async ({ database, body, caller }) => {
    const { filter } = body;
    const target = 'ids' in filter ? filter.ids : coreFilter(filter);
    const { changed, skipped } = await act(database.queue.jobs, body, target, { by: caller.name });
    return { changed, skipped };
  },
});

/** @throws ApiProblem */
function act(
  jobs: StoredJobs,
  { action, priority }: BulkRequest,
  target: JobTarget,
  by: ActionOptions,
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
