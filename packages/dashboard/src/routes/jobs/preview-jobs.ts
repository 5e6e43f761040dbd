import { route } from '../../api/route.js';
import type { BulkPreview, PreviewRequest } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { coreFilter } from './job-filter.js';

export const previewJobs = route<BulkPreview, { body: PreviewRequest }>({
  name: 'previewJobs',
  method: 'POST',
  isHarmless: true,
  path: 'jobs/preview',
  summary: 'Count the jobs that something would be done to',
  body: ref('PreviewRequest'),
  answer: ref('BulkPreview'),
  run: async ({ database, body: { action, filter } }) => {
    return { matching: await database.queue.jobs.preview(action, coreFilter(filter)) };
  },
});
