import type { JobActionOptions, JobActionResult, JobBrowser, JobTarget } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import { BulkPreview, BulkRequest, BulkResult, PreviewRequest } from '../../contract/index.js';
import { toBrowserFilter } from './job-filter.js';

/**
 * Steps of one request with a filter: 2,000 changed jobs, or 25,000 jobs that were read. A request stays short, and the
 * client can show the progress and stop.
 */
const STEPS = 5;

export const previewJobs = route({
  name: 'previewJobs',
  method: 'POST',
  isReadOnly: true,
  path: 'jobs/preview',
  summary: 'Count the jobs that a bulk action would change',
  body: PreviewRequest,
  response: BulkPreview,
  run: async ({ database, body: { action, filter } }) => ({
    matching: await database.queue.jobs.preview(action, toBrowserFilter(filter)),
  }),
});

export const bulkJobs = route({
  name: 'bulkJobs',
  method: 'POST',
  path: 'jobs/bulk',
  summary: 'Apply an action to many jobs, in several requests',
  body: BulkRequest,
  response: BulkResult,
  run: async ({ database, body, caller }) => {
    const { filter, cursor } = body;
    const by = { by: caller.name, ...(cursor !== undefined && { after: cursor }) };
    const { jobs } = database.queue;
    const { changed, skipped, next } = await ('ids' in filter
      ? act(jobs, body, filter.ids, by)
      : act(jobs, body, toBrowserFilter(filter), { ...by, steps: STEPS }));
    return { changed, skipped, next: next ?? null };
  },
});

/** @throws ApiProblem if the priority is missing. */
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
