import { defined } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import { JobSearchPage, JobState, type KeyedCounts } from '../../contract/index.js';
import { BOOLEAN, described, integer, text } from '../../contract/json-schema.js';
import type { ResolvedOptions } from '../../options/dashboard.options.js';
import { toJobRow } from './job-row.js';

const PAGE = 50;

export const searchJobs = route({
  name: 'searchJobs',
  method: 'GET',
  path: 'jobs/search',
  summary: 'Searches the jobs of all states for a text, for 2 s at most, page by page',
  query: {
    required: {
      text: described(text(1_000), 'an id, key, unique key or tenant, or a part of a name, an error or a payload'),
    },
    optional: {
      state: JobState,
      payload: described(BOOLEAN, 'whether payloads are searched too'),
      cursor: described(text(100), 'the `next` of the previous page of the same search'),
      limit: described(integer(1, 200), `jobs per page; default: ${PAGE}`),
    },
  },
  response: JobSearchPage,
  run: async ({ database, options, query: { text: wanted, state, payload = false, cursor, limit = PAGE } }) => {
    if (payload) {
      assertPayloadsAreShown(options);
    }
    const search = { payload, limit, ...defined({ state, after: cursor }) };
    const page = await database.reads.getOrRead(['search', wanted, search], () =>
      database.queue.jobs.search(wanted, search),
    );
    return {
      jobs: page.jobs.map((job) => ({ ...toJobRow(job), foundIn: job.foundIn })),
      counts: Object.fromEntries(
        Object.entries(page.counts).map(([found, count]) => [
          found as JobState,
          { count, isCapped: page.next !== undefined },
        ]),
      ) as KeyedCounts,
      next: page.next ?? null,
      searchedSince: page.searchedSince?.getTime() ?? null,
      examined: page.examined,
      encodedBy: page.encodedBy,
      takenAt: page.takenAt.getTime(),
    };
  },
});

/**
 * A hit would reveal that a hidden payload contains the text.
 *
 * @throws ApiProblem
 */
function assertPayloadsAreShown({ payloads, redact }: ResolvedOptions): void {
  if (payloads === 'hidden' || redact) {
    const why = payloads === 'hidden' ? 'hides payloads' : 'redacts payloads';
    throw new ApiProblem('forbidden', `Payloads cannot be searched, because this dashboard ${why}.`, 'payload');
  }
}
