import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import { JobDetail, RetryRequest, SignalRequest } from '../../contract/index.js';
import { JOB_ID, JOB_PROBLEMS, findJob, toJobDetail } from './job-detail.js';

export const retryJobFrom = route({
  name: 'retryJobFrom',
  method: 'POST',
  path: 'jobs/:id/retry-from',
  summary:
    'Retry a failed, cancelled or expired durable job from a step: it and all that were stored after it run again',
  params: JOB_ID,
  body: RetryRequest,
  response: JobDetail,
  problems: { ...JOB_PROBLEMS, 409: 'Only for a job that has failed, has expired or was cancelled.' },
  run: async ({ database, params: { id }, body: { from }, options, caller }) => {
    const { changed, conflict } = await database.queue.jobs.retry(id, { from, by: caller.name });
    if (conflict) {
      throw new ApiProblem('conflict', `Job ${conflict.id} has the unique key of this job.`, 'id');
    }
    const job = await findJob(database, id);
    if (changed === 0) {
      throw new ApiProblem('conflict', `The job is ${job.state}, or it is locked. It cannot be retried.`, 'id');
    }
    return toJobDetail(job, options, caller);
  },
});

export const signalJob = route({
  name: 'signalJob',
  method: 'POST',
  path: 'jobs/:id/signal',
  summary: 'Send a signal to a durable job',
  params: JOB_ID,
  body: SignalRequest,
  response: JobDetail,
  problems: { ...JOB_PROBLEMS, 409: 'Only for a job that has not ended.' },
  run: async ({ database, params: { id }, body: { signal, data }, options, caller }) => {
    const sent = await database.queue.signal(id, signal, data, { by: caller.name });
    const job = await findJob(database, id);
    if (sent === undefined) {
      throw new ApiProblem('conflict', `The job is ${job.state}. It receives no signal any more.`, 'id');
    }
    return toJobDetail(job, options, caller);
  },
});
