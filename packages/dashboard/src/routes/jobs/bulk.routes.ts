import { defined } from '@tablequeue/typeorm/internal';

import { route } from '../../api/route.js';
import { BulkPreview, BulkRequest, BulkResult, PreviewRequest } from '../../contract/index.js';
import { act } from './job-action.routes.js';
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
    const by = { by: caller.name, ...defined({ after: cursor }) };
    const { jobs } = database.queue;
    const { changed, skipped, next } = await ('ids' in filter
      ? act(jobs, body, filter.ids, by)
      : act(jobs, body, toBrowserFilter(filter), { ...by, steps: STEPS }));
    return { changed, skipped, next: next ?? null };
  },
});
