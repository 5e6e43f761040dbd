import { type QueueControl, UnknownWorkerError, type WorkerActivity } from '@tablequeue/typeorm';

import { ApiProblem } from '../api/api-problem.error.js';
import { type Route, route } from '../api/route.js';
import { WorkerRow } from '../contract/index.js';
import { WORKER_ID, described, listOf } from '../contract/json-schema.js';
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
      const changed = (await queue.activity.workers()).find((each) => each.id === id);
      if (!changed) {
        throw new ApiProblem('not-found', `The worker ${id} has ended.`, 'worker');
      }
      return toRow(changed);
    },
  });
}

function toRow(worker: WorkerActivity): WorkerRow {
  const { id, codeVersion, startedAt, seenAt, leaseEndsAt, request, lastBlock, running, ...rest } = worker;
  return {
    ...rest,
    id: String(id),
    codeVersion: codeVersion ?? null,
    startedAt: startedAt.getTime(),
    seenAt: seenAt.getTime(),
    leaseEndsAt: leaseEndsAt.getTime(),
    request: request ? { ...request, by: request.by ?? null, at: request.at.getTime() } : null,
    lastBlock: lastBlock ? { ...lastBlock, reportedAt: lastBlock.reportedAt.getTime() } : null,
    running: running.map(toJobRow).toSorted((one, other) => (one.startedAt ?? 0) - (other.startedAt ?? 0)),
  };
}
