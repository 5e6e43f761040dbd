import { defined, executeRead, hasJobs } from '@tablequeue/typeorm/internal';

import { route } from '../api/route.js';
import {
  PauseRequest,
  ProblemKind,
  QueueColumn,
  QueueLimits,
  QueueNames,
  QueuePage,
  QueueRow,
  type RateLimit,
} from '../contract/index.js';
import { BOOLEAN, described, integer, text } from '../contract/json-schema.js';
import type { Database } from '../databases/database.registry.js';
import { withSparks } from '../overview/with-sparks.js';
import { assertQueue, findQueue } from './queue-detail.js';

const PAGE = 50;
/** How many names a select offers. */
const MOST_NAMES = 2_000;

export const listQueues = route({
  name: 'listQueues',
  method: 'GET',
  path: 'queues',
  summary: 'The queues and their figures, page by page',
  query: {
    optional: {
      contains: described(text(64), 'a part of the name, in upper or lower case'),
      problem: described(ProblemKind, 'only queues with this kind of problem'),
      trouble: described(BOOLEAN, 'whether only queues with a problem are listed'),
      sort: described(QueueColumn, 'what they are sorted by, null last; default: the name'),
      descending: described(BOOLEAN, 'whether the largest are first'),
      limit: described(integer(1, 100), `queues per page; default: ${PAGE}`),
      offset: described(integer(0), 'how many queues are on the pages before; default: 0'),
    },
  },
  response: QueuePage,
  run: async ({ database, query: { sort = 'queue', descending = false, limit = PAGE, offset = 0, ...filter } }) => {
    const rows = await database.overview.queues();
    const found = rows.find(filter, { column: sort, isDescending: descending });
    return {
      takenAt: rows.takenAt,
      queues: await withSparks(database, rows, found.slice(offset, offset + limit)),
      offset,
      matching: found.length,
      inTrouble: rows.inTrouble,
    };
  },
});

export const listQueueNames = route({
  name: 'listQueueNames',
  method: 'GET',
  path: 'queue-names',
  summary: 'The names of the queues',
  response: QueueNames,
  run: async ({ database }) => {
    const names = (await database.overview.queues()).names();
    return { names: names.slice(0, MOST_NAMES), hasMore: names.length > MOST_NAMES };
  },
});

/** What the routes of one queue have in common. */
const ONE_QUEUE = {
  params: { queue: described(text(64), 'the name of the queue') },
  response: QueueRow,
  problems: { 404: 'No queue of this name has jobs, settings or workers.' },
};

export const showQueue = route({
  ...ONE_QUEUE,
  name: 'showQueue',
  method: 'GET',
  path: 'queues/:queue',
  summary: 'One queue',
  run: async ({ database, params: { queue } }) => {
    const shared = await database.overview.queues();
    // The first job of a new queue may be younger than the shared read.
    const isNew =
      !shared.has(queue) &&
      (await executeRead(database.queue.engine, 'find a queue', (dialect) => hasJobs(dialect, queue)));
    return findQueue(database, isNew ? (await database.overview.fresh()).queues : shared, queue);
  },
});

export const pauseQueue = route({
  ...ONE_QUEUE,
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
  ...ONE_QUEUE,
  name: 'resumeQueue',
  method: 'POST',
  path: 'queues/:queue/resume',
  summary: 'Resume a queue',
  run: ({ database, params: { queue }, caller }) =>
    changeQueue(database, queue, () => database.queue.control.resume(queue, { by: caller.name })),
});

export const limitQueue = route({
  ...ONE_QUEUE,
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
async function changeQueue(database: Database, queue: string, change: () => Promise<void>): Promise<QueueRow> {
  assertQueue((await database.overview.fresh()).queues, queue);
  await change();
  return findQueue(database, (await database.overview.fresh()).queues, queue);
}
