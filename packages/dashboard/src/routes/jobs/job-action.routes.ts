import type { JobActionOptions, JobActionResult, JobBrowser, JobTarget } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.error.js';
import { type Route, route } from '../../api/route.js';
import { type JobAction, JobDetail, PriorityRequest } from '../../contract/index.js';
import { JOB_ID, JOB_PROBLEMS, findJob, toJobDetail } from './job-detail.js';

export const runJobNow = jobAction('run-now', {
  name: 'runJobNow',
  summary: 'Run a scheduled job now, before its time',
  condition: 'is scheduled',
});

export const retryJob = jobAction('retry', {
  name: 'retryJob',
  summary: 'Retry a failed, cancelled or expired job',
  condition: 'has failed, has expired or was cancelled',
});

export const skipJob = jobAction('skip', {
  name: 'skipJob',
  summary: 'Go on without a failed job that blocks its order key',
  condition: 'has failed and blocks its order key',
});

export const cancelJob = jobAction('cancel', {
  name: 'cancelJob',
  summary: 'Cancel a job; the handler of a running job is signalled to stop',
  condition: 'has not ended',
});

export const changeJobPriority = jobAction('priority', {
  name: 'changeJobPriority',
  summary: 'Change the priority of a job that has not started',
  condition: 'has not started and has another priority',
});

interface ActionRoute extends Pick<Route, 'name' | 'summary'> {
  /** The state that the action needs, as the end of a sentence: "has failed or was cancelled". */
  readonly condition: string;
}

/** Makes the route of an action on a job. It responds with the job as it is after the action. */
function jobAction(action: JobAction, { condition, ...definition }: ActionRoute): Route {
  return route({
    ...definition,
    method: action === 'priority' ? 'PUT' : 'POST',
    path: `jobs/:id/${action}`,
    ...(action === 'priority' && { body: PriorityRequest }),
    params: JOB_ID,
    response: JobDetail,
    problems: { ...JOB_PROBLEMS, 409: `Only for a job that ${condition}.` },
    run: async ({ database, params: { id }, body, options, caller }) => {
      const { changed, conflict } = await act(database.queue.jobs, { action, ...body }, id, { by: caller.name });
      if (conflict) {
        throw new ApiProblem('conflict', `Job ${conflict.id} has the unique key of this job.`, 'id');
      }
      const job = await findJob(database, id);
      if (changed === 0) {
        throw new ApiProblem(
          'conflict',
          `The job is ${job.state}, or it is locked. This is only for a job that ${condition}.`,
          'id',
        );
      }
      return toJobDetail(job, options, caller);
    },
  });
}

/** @throws ApiProblem if the priority is missing. */
export function act(
  jobs: JobBrowser,
  { action, priority }: { readonly action: JobAction; readonly priority?: number },
  target: JobTarget,
  by: JobActionOptions,
): Promise<JobActionResult> {
  switch (action) {
    case 'run-now':
      return jobs.runNow(target, by);
    case 'retry':
      return jobs.retry(target, by);
    case 'skip':
      return jobs.skip(target, by);
    case 'cancel':
      return jobs.cancel(target, by);
    case 'priority':
      if (priority === undefined) {
        throw new ApiProblem('invalid-request', '"priority" in the body is missing.', 'priority');
      }
      return jobs.changePriority(target, priority, by);
  }
}
