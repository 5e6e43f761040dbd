import type { WorkerActivity } from '@tablequeue/typeorm';

import { route } from '../../api/route.js';
import type { WorkerRow } from '../../contract/index.js';
import { listOf, ref } from '../../schema/json-schema.js';
import { jobRow } from '../jobs/job-rows.js';

export const listWorkers = route<WorkerRow[]>({
  name: 'listWorkers',
  method: 'GET',
  path: 'workers',
  summary: 'All workers, and what they run',
  answer: listOf(ref('WorkerRow')),
  run: async ({ database: { queue, readings } }) =>
    (await readings.of(['workers'], () => queue.activity.workers())).map(toRow),
});

function toRow({ id, startedAt, seenAt, leaseEndsAt, running, ...worker }: WorkerActivity): WorkerRow {
  return {
    ...worker,
    id: String(id),
    startedAt: startedAt.getTime(),
    seenAt: seenAt.getTime(),
    leaseEndsAt: leaseEndsAt.getTime(),
    running: running.map(jobRow).toSorted((one, other) => (one.startedAt ?? 0) - (other.startedAt ?? 0)),
  };
}
