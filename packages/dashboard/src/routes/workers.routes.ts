import { type QueueControl, type TableQueue, UnknownWorkerError, type WorkerActivity } from '@tablequeue/typeorm';
import { type RegisteredWorker, executeRead, findWorkers, readWorkerActivity } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../api/api-problem.error.js';
import { type Route, route } from '../api/route.js';
import { WorkerPage, WorkerRow } from '../contract/index.js';
import { type Schema, WORKER_ID, described, integer } from '../contract/json-schema.js';
import { toJobRow } from './jobs/job-row.js';

const PAGE = 20;
/** The running jobs of each worker. */
const JOBS = 10;
/** The queues of each worker: each can have all queues of the application. */
const QUEUES = 20;
/** When the last worker of a page was started, and its id. */
const CURSOR: Schema<string> = { type: 'string', pattern: '^[0-9]{1,16}-[0-9]{1,10}$' };

export const listWorkers = route({
  name: 'listWorkers',
  method: 'GET',
  path: 'workers',
  summary: 'The workers and their running jobs, page by page, oldest worker first',
  query: {
    optional: {
      cursor: described(CURSOR, 'the `next` of the previous page'),
      limit: described(integer(1, 50), `workers per page; default: ${PAGE}`),
    },
  },
  response: WorkerPage,
  run: async ({ database: { queue, reads }, query: { cursor, limit = PAGE } }) =>
    reads.getOrRead(['workers', cursor, limit], () => readPage(queue, cursor, limit)),
});

export const quietWorker = workerAction({
  name: 'quietWorker',
  verb: 'quiet',
  summary: 'Ask a worker to claim no more jobs',
  act: (control, ...request) => control.quietWorker(...request),
});

export const resumeWorker = workerAction({
  name: 'resumeWorker',
  verb: 'resume',
  summary: 'Ask a quiet worker to claim jobs again',
  act: (control, ...request) => control.resumeWorker(...request),
});

export const stopWorker = workerAction({
  name: 'stopWorker',
  verb: 'stop',
  summary: 'Ask a worker to finish its jobs and to end; its process goes on',
  act: (control, ...request) => control.stopWorker(...request),
});

/** The differences between the requests to a worker. */
interface WorkerAction extends Pick<Route, 'name' | 'summary'> {
  readonly verb: 'quiet' | 'resume' | 'stop';
  readonly act: (control: QueueControl, id: number, by: { readonly by: string | null }) => Promise<void>;
}

/** Makes the route of a request to a worker. It responds with the worker, which follows within a third of its lease. */
function workerAction({ verb, act, ...definition }: WorkerAction): Route {
  return route({
    ...definition,
    method: 'POST',
    path: `workers/:worker/${verb}`,
    params: { worker: described(WORKER_ID, 'the id of the worker') },
    response: WorkerRow,
    problems: { 404: 'No worker with this id has a lease.' },
    run: async ({ database: { queue }, params: { worker }, caller }) => {
      const id = Number(worker);
      try {
        await act(queue.control, id, { by: caller.name });
      } catch (error) {
        throw error instanceof UnknownWorkerError ? new ApiProblem('not-found', error.message, 'worker') : error;
      }
      const [changed] = await readRows(
        queue,
        (await readAll(queue)).filter((each) => each.id === id),
      );
      if (!changed) {
        throw new ApiProblem('not-found', `The worker ${id} has ended.`, 'worker');
      }
      return changed;
    },
  });
}

async function readPage(queue: TableQueue, cursor: string | undefined, limit: number): Promise<WorkerPage> {
  const all = await readAll(queue);
  const [startedAt = 0, id = 0] = cursor?.split('-').map(Number) ?? [];
  const rest = all.filter((each) => each.startedAt > startedAt || (each.startedAt === startedAt && each.id > id));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    workers: await readRows(queue, page),
    total: all.length,
    next: last && rest.length > limit ? `${last.startedAt}-${last.id}` : null,
  };
}

/** Reads all workers without their jobs, the oldest first. */
function readAll({ engine }: TableQueue): Promise<RegisteredWorker[]> {
  return executeRead(engine, 'find workers', findWorkers);
}

async function readRows({ engine, codecs }: TableQueue, workers: readonly RegisteredWorker[]): Promise<WorkerRow[]> {
  return (await readWorkerActivity(engine, codecs, workers, JOBS)).map(toRow);
}

function toRow(worker: WorkerActivity): WorkerRow {
  const { id, codeVersion, startedAt, seenAt, leaseEndsAt, request, lastBlock, running, ...rest } = worker;
  const { queues, weights } = rest;
  const shown = queues
    .toSorted((one, other) => Number(weights[one] === 1) - Number(weights[other] === 1))
    .slice(0, QUEUES);
  return {
    ...rest,
    id: String(id),
    queues: shown,
    queueCount: queues.length,
    weights: Object.fromEntries(shown.map((queue) => [queue, weights[queue] ?? 1])),
    codeVersion: codeVersion ?? null,
    startedAt: startedAt.getTime(),
    seenAt: seenAt.getTime(),
    leaseEndsAt: leaseEndsAt.getTime(),
    request: request ? { ...request, by: request.by ?? null, at: request.at.getTime() } : null,
    lastBlock: lastBlock ? { ...lastBlock, reportedAt: lastBlock.reportedAt.getTime() } : null,
    running: running.map(toJobRow),
  };
}
