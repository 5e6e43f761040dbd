import type { KeyedJobFilter } from '@tablequeue/typeorm';

import { route } from '../../api/route.js';
import type { JobState, KeyedCounts } from '../../contract/index.js';
import { FILTER } from '../../schema/components.js';
import { ref } from '../../schema/json-schema.js';

/** A key, and which of its jobs. */
interface KeyQuery extends KeyedJobFilter {
  readonly database?: string;
  readonly key: string;
}

const { key: KEY, queue, name, tenant } = FILTER.optional;

export const countByKey = route<KeyedCounts, { query: KeyQuery }>({
  name: 'countByKey',
  method: 'GET',
  path: 'jobs/states',
  summary: 'In which states the jobs with a key are, of up to 1,000',
  query: { required: { key: KEY }, optional: { queue, name, tenant } },
  answer: ref('KeyedCounts'),
  run: async ({ database, query: { database: _database, key, ...filter } }) => {
    const { isCapped, ...counts } = await database.readings.of(['states', key, filter], () =>
      database.queue.jobs.countByKey(key, filter),
    );
    return Object.fromEntries(
      Object.entries(counts).map(([state, count]) => [state as JobState, { count, isCapped }]),
    ) as KeyedCounts;
  },
});
