import type { ActionOptions, JobActionResult, JobBrowser } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.error.js';
import { type Route, route } from '../../api/route.js';
import { JobDetail, PriorityRequest } from '../../contract/index.js';
import type { Schema } from '../../contract/json-schema.js';
import { JOB_ID, JOB_PROBLEMS, findJob, toJobDetail } from './job-detail.js';

export const runJobNow = jobAction({
  name: 'runJobNow',
  method: 'POST',
  path: 'jobs/:id/run-now',
  summary: 'Run a scheduled job now, before its time',
  condition: 'is scheduled',
  act: (jobs, id, by) => jobs.runNow(id, by),
});

export const retryJob = jobAction({
  name: 'retryJob',
  method: 'POST',
  path: 'jobs/:id/retry',
  summary: 'Retry a failed or cancelled job',
  condition: 'has failed or was cancelled',
  act: (jobs, id, by) => jobs.retry(id, by),
});

export const cancelJob = jobAction({
  name: 'cancelJob',
  method: 'POST',
  path: 'jobs/:id/cancel',
  summary: 'Cancel a job; the handler of a running job is signalled to stop',
  condition: 'has not ended',
  act: (jobs, id, by) => jobs.cancel(id, by),
});

export const changeJobPriority = jobAction({
  name: 'changeJobPriority',
  method: 'PUT',
  path: 'jobs/:id/priority',
  summary: 'Change the priority of a job that has not started',
  body: PriorityRequest,
  condition: 'has not started and has another priority',
  act: (jobs, id, by, { priority }) => jobs.changePriority(id, priority, by),
});

/** The differences between the actions on a job. */
interface JobAction<Body> extends Pick<Route, 'name' | 'method' | 'path' | 'summary'> {
  readonly body?: Schema<Body>;
  /** The state that the action needs, as the end of a sentence: "has failed or was cancelled". */
  readonly condition: string;
  readonly act: (jobs: JobBrowser, id: string, by: ActionOptions, body: Body) => Promise<JobActionResult>;
}

/** Makes the route of an action on a job. It responds with the job as it is after the action. */
function jobAction<Body = undefined>({ condition, act, ...definition }: JobAction<Body>): Route {
  return route({
    ...definition,
    params: JOB_ID,
    response: JobDetail,
    problems: { ...JOB_PROBLEMS, 409: `Only for a job that ${condition}.` },
    run: async ({ database, params: { id }, body, options, caller }) => {
      const { changed } = await act(database.queue.jobs, id, { by: caller.name }, body);
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
