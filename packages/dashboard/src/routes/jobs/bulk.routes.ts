import type { BulkOperation as StoredOperation } from '@tablequeue/typeorm';
import { defined, executeRead, readClock } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import { BulkOperation, BulkPage, BulkPreview, BulkRequest, PreviewRequest } from '../../contract/index.js';
import { UUID, described, integer } from '../../contract/json-schema.js';
import { detailInWords } from '../detail-in-words.js';
import { assertQueue } from '../queue-detail.js';
import { toBrowserFilter } from './job-filter.js';

const PAGE = 50;

export const previewJobs = route({
  name: 'previewJobs',
  method: 'POST',
  isReadOnly: true,
  path: 'jobs/preview',
  summary: 'Count the jobs that a bulk operation would change',
  body: PreviewRequest,
  response: BulkPreview,
  run: async ({ database, body: { action, filter } }) => ({
    matching: await database.queue.jobs.preview(action, toBrowserFilter(filter)),
  }),
});

export const startBulk = route({
  name: 'startBulk',
  method: 'POST',
  path: 'jobs/bulk',
  summary: 'Start a bulk operation: apply an action to all jobs that match now',
  body: BulkRequest,
  response: BulkOperation,
  problems: { 404: 'For a move: no queue of this name has jobs, settings or workers.' },
  run: async ({ database, body: { action, filter, priority, to }, caller }) => {
    if (action === 'priority' && priority === undefined) {
      throw new ApiProblem('invalid-request', '"priority" in the body is missing.', 'priority');
    }
    if (action === 'move' && to === undefined) {
      throw new ApiProblem('invalid-request', '"to" in the body is missing.', 'to');
    }
    if (action === 'move' && to !== undefined) {
      // No worker would claim the jobs from a queue with a misspelled name.
      assertQueue((await database.overview.fresh()).queues, to, 'to');
    }
    const jobs = 'ids' in filter ? { ids: filter.ids } : { filter: toBrowserFilter(filter) };
    const extra = { ...(action === 'priority' && { priority }), ...(action === 'move' && { to }) };
    return toOperation(await database.bulk.start({ action, ...jobs, ...defined(extra), by: caller.name }));
  },
});

export const listBulk = route({
  name: 'listBulk',
  method: 'GET',
  path: 'jobs/bulk',
  summary: 'Bulk operations, newest first, page by page',
  query: {
    optional: {
      cursor: described(UUID, 'the `next` of the previous page'),
      limit: described(integer(1, 200), `operations per page; default: ${PAGE}`),
    },
  },
  response: BulkPage,
  run: async ({ database: { queue, reads }, query: { cursor, limit = PAGE } }) => {
    const options = { limit, ...defined({ after: cursor }) };
    const { takenAt, operations, next } = await reads.getOrRead(['bulk', options], async () => ({
      ...(await queue.bulk.list(options)),
      takenAt: await executeRead(queue.engine, 'read the clock', readClock),
    }));
    return { operations: operations.map(toOperation), next: next ?? null, takenAt };
  },
});

export const stopBulk = route({
  name: 'stopBulk',
  method: 'POST',
  path: 'jobs/bulk/:id/stop',
  summary: 'Stop a bulk operation; what it has changed stays',
  params: { id: described(UUID, 'of the operation') },
  response: BulkOperation,
  problems: { 404: 'There is no such bulk operation.' },
  run: async ({ database, params: { id }, caller }) => {
    const stopped = await database.queue.bulk.stop(id, { by: caller.name });
    if (!stopped) {
      throw new ApiProblem('not-found', `There is no bulk operation ${id}.`, 'id');
    }
    return toOperation(stopped);
  },
});

function toOperation({ id, action, filter, ids, priority, to, by, ...rest }: StoredOperation): BulkOperation {
  const { state, total, isCapped, changed, skipped, startedAt, finishedAt } = rest;
  return {
    id,
    action,
    jobs: detailInWords(ids ? { ids } : { filter }) ?? '',
    priority: priority ?? null,
    to: to ?? null,
    who: by ?? null,
    state,
    total: total === undefined ? null : { count: total, isCapped },
    changed,
    skipped,
    startedAt: startedAt.getTime(),
    finishedAt: finishedAt?.getTime() ?? null,
  };
}
