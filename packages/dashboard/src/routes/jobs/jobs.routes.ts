import { bulkActionsOf, defined } from '@tablequeue/typeorm/internal';

import { route } from '../../api/route.js';
import { BlockedKeyPage, FILTER, JobDetail, JobPage, type JobState, KeyedCounts } from '../../contract/index.js';
import { described, integer, text } from '../../contract/json-schema.js';
import { JOB_ID, JOB_PROBLEMS, findJob, toJobDetail } from './job-detail.js';
import { toBrowserFilter } from './job-filter.js';
import { toJobRow } from './job-row.js';

const PAGE = 50;

export const listJobs = route({
  name: 'listJobs',
  method: 'GET',
  path: 'jobs',
  summary: 'Jobs of a state, page by page: live ones in claim order, finished ones newest first',
  query: {
    required: FILTER.required,
    optional: {
      ...FILTER.optional,
      cursor: described(text(100), 'the `next` of the previous page of the same filter'),
      limit: described(integer(1, 200), `jobs per page; default: ${PAGE}`),
    },
  },
  response: JobPage,
  run: async ({ database, caller, query: { cursor, limit = PAGE, ...filter } }) => {
    const options = { ...toBrowserFilter(filter), limit, ...defined({ after: cursor }) };
    const page = await database.reads.getOrRead(['jobs', options], () => database.queue.jobs.list(options));
    return {
      jobs: page.jobs.map(toJobRow),
      next: page.next ?? null,
      takenAt: page.takenAt.getTime(),
      isPartial: page.isPartial,
      actions: caller.role === 'operator' ? bulkActionsOf(filter.state) : [],
    };
  },
});

const { key: KEY, queue, name, tenant } = FILTER.optional;

export const countByKey = route({
  name: 'countByKey',
  method: 'GET',
  path: 'jobs/states',
  summary: 'Counts by state of the jobs with a key, of up to 1,000',
  query: { required: { key: KEY }, optional: { queue, name, tenant } },
  response: KeyedCounts,
  run: async ({ database, query: { key, queue, name, tenant } }) => {
    const filter = defined({ queue, name, tenant });
    const { isCapped, ...counts } = await database.reads.getOrRead(['states', key, filter], () =>
      database.queue.jobs.countByKey(key, filter),
    );
    return Object.fromEntries(
      Object.entries(counts).map(([state, count]) => [state as JobState, { count, isCapped }]),
    ) as KeyedCounts;
  },
});

export const listBlockedKeys = route({
  name: 'listBlockedKeys',
  method: 'GET',
  path: 'jobs/blocked-keys',
  summary: 'Order keys that are blocked because a job has failed, page by page, the oldest first',
  query: {
    optional: {
      cursor: described(text(400), 'the `next` of the previous page'),
      limit: described(integer(1, 200), `keys per page; default: ${PAGE}`),
    },
  },
  response: BlockedKeyPage,
  run: async ({ database, query: { cursor, limit = PAGE } }) => {
    const options = { limit, ...defined({ after: cursor }) };
    const { keys, next } = await database.reads.getOrRead(['blocked-keys', options], () =>
      database.queue.jobs.listBlockedKeys(options),
    );
    return { keys: keys.map((key) => ({ ...key, blockedAt: key.blockedAt.getTime() })), next: next ?? null };
  },
});

export const showJob = route({
  name: 'showJob',
  method: 'GET',
  path: 'jobs/:id',
  summary: 'A job with its attempts',
  params: JOB_ID,
  response: JobDetail,
  problems: JOB_PROBLEMS,
  run: async ({ database, params: { id }, options, caller }) =>
    toJobDetail(await database.reads.getOrRead(['job', id], () => findJob(database, id)), options, caller),
});
