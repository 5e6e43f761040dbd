import { defined } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../api/api-problem.error.js';
import { route } from '../api/route.js';
import { PauseRequest, QueueLimits, QueueRow, type RateLimit } from '../contract/index.js';
import { described, text } from '../contract/json-schema.js';
import type { Database } from '../databases/database.registry.js';

/** What the routes that change a queue have in common. */
const CHANGE = {
  params: { queue: described(text(64), 'the name of the queue') },
  response: QueueRow,
  problems: { 404: 'No queue of this name has jobs, settings or workers.' },
};

export const pauseQueue = route({
  ...CHANGE,
  name: 'pauseQueue',
  method: 'POST',
  path: 'queues/:queue/pause',
  summary: 'Pause a queue on all workers',
  body: PauseRequest,
  run: ({ database, params: { queue }, body: { reason }, caller }) =>
    changeQueue(database, queue, () =>
      database.queue.control.pause(queue, { by: caller.name, ...defined({ reason }) }),
    ),
});

export const resumeQueue = route({
  ...CHANGE,
  name: 'resumeQueue',
  method: 'POST',
  path: 'queues/:queue/resume',
  summary: 'Resume a queue',
  run: ({ database, params: { queue }, caller }) =>
    changeQueue(database, queue, () => database.queue.control.resume(queue, { by: caller.name })),
});

export const limitQueue = route({
  ...CHANGE,
  name: 'limitQueue',
  method: 'PUT',
  path: 'queues/:queue/limits',
  summary: 'Replace the limits of a queue',
  body: QueueLimits,
  run: ({ database, params: { queue }, body, caller }) => {
    const { concurrency, rate, perTenant, ratePerTenant, maxLength } = body;
    const limits = {
      ...(concurrency !== null && { concurrency }),
      ...(rate !== null && { rate: toRate(rate) }),
      ...(perTenant !== null && { concurrencyPerTenant: perTenant }),
      ...(ratePerTenant !== null && { ratePerTenant: toRate(ratePerTenant) }),
      ...(maxLength !== null && { maxLength }),
    };
    return changeQueue(database, queue, () => database.queue.control.limit(queue, limits, { by: caller.name }));
  },
});

function toRate({ burst, ...rate }: RateLimit) {
  return { ...rate, ...(burst !== null && { burst }) };
}

/**
 * Changes a queue that exists: a misspelled name would store settings for a queue without jobs. Returns the queue as it
 * is after the change.
 *
 * @throws ApiProblem if there is no such queue.
 */
async function changeQueue({ overview }: Database, queue: string, change: () => Promise<void>): Promise<QueueRow> {
  const find = async () => {
    const row = (await overview.fresh()).queues.find((each) => each.queue === queue);
    if (!row) {
      throw new ApiProblem('not-found', `There is no queue "${queue}".`, 'queue');
    }
    return row;
  };
  await find();
  await change();
  return find();
}
