import type { WorkerActivity } from '@tablequeue/typeorm';

import { route } from '../api/route.js';
import { WorkerRow } from '../contract/index.js';
import { listOf } from '../contract/json-schema.js';
import { toJobRow } from './jobs/job-row.js';

export const listWorkers = route({
  name: 'listWorkers',
  method: 'GET',
  path: 'workers',
  summary: 'All workers and their running jobs, oldest worker first',
  response: listOf(WorkerRow),
  run: async ({ database: { queue, reads } }) =>
    (await reads.getOrRead(['workers'], () => queue.activity.workers())).map(toRow),
});

function toRow({ id, startedAt, seenAt, leaseEndsAt, running, ...worker }: WorkerActivity): WorkerRow {
  return {
    ...worker,
    id: String(id),
    startedAt: startedAt.getTime(),
    seenAt: seenAt.getTime(),
    leaseEndsAt: leaseEndsAt.getTime(),
    running: running.map(toJobRow).toSorted((one, other) => (one.startedAt ?? 0) - (other.startedAt ?? 0)),
  };
}
