import { route } from '../../api/route.js';
import type { JobFilter, JobPage } from '../../contract/index.js';
import { FILTER } from '../../schema/components.js';
import { described, ref, text, whole } from '../../schema/json-schema.js';
import { actionsFor } from './actions-for.js';
import { coreFilter } from './job-filter.js';
import { jobRow } from './job-rows.js';

const PAGE = 50;

/** A filter, and which page. */
interface JobQuery extends JobFilter {
  readonly database?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

export const listJobs = route<JobPage, { query: JobQuery }>({
  name: 'listJobs',
  method: 'GET',
  path: 'jobs',
  summary: 'Jobs of a state, page by page: live ones as they stand in line, ended ones the newest first',
  query: {
    required: FILTER.required,
    optional: {
      ...FILTER.optional,
      cursor: described(text(100), 'the `next` of the page before, of the same filter'),
      limit: described(whole(1, 200), `how many jobs a page has; ${PAGE} unless said`),
    },
  },
  answer: ref('JobPage'),
  run: async ({ database, caller, query: { database: _database, cursor, limit = PAGE, ...filter } }) => {
    const options = { ...coreFilter(filter), limit, ...(cursor !== undefined && { after: cursor }) };
    const page = await database.readings.of(['jobs', options], () => database.queue.jobs.list(options));
    return {
      jobs: page.jobs.map(jobRow),
      next: page.next ?? null,
      takenAt: page.takenAt.getTime(),
      isPartial: page.isPartial,
      actions: actionsFor(caller, filter.state),
    };
  },
});
