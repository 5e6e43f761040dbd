import type { ActionOptions, JobActionResult, JobBrowser } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.js';
import { type Route, type RouteParts, route } from '../../api/route.js';
import type { JobDetail } from '../../contract/index.js';
import { ref } from '../../schema/json-schema.js';
import { JOB, JOB_PROBLEMS, type JobParams, findJob, jobDetail } from './job-detail.js';

/** What differs between the things that are done with a job. */
interface JobChange<Body> extends Pick<Route, 'name' | 'method' | 'path' | 'summary' | 'body'> {
  /** In which states it can be done, in a sentence: "has failed or was cancelled". */
  readonly when: string;
  readonly change: (jobs: JobBrowser, id: string, by: ActionOptions, body: Body) => Promise<JobActionResult>;
}

/** Makes the route of something that is done with a job. It answers the job as it is then. */
export function jobChange<Body extends RouteParts['body'] = undefined>(definition: JobChange<Body>): Route {
  const { when, change, ...rest } = definition;
  return route<JobDetail, JobParams & { body: Body }>({
    ...rest,
    params: JOB,
    answer: ref('JobDetail'),
    problems: { ...JOB_PROBLEMS, 409: `Only for a job that ${when}.` },
    run: async ({ database, params: { id }, body, options, caller }) => {
      const { changed } = await change(database.queue.jobs, id, { by: caller.name }, body);
      const job = await findJob(database, id);
      if (changed === 0) {
        throw new ApiProblem(
          'conflict',
          `The job is ${job.state}, or somebody has it locked. This is for a job that ${when}.`,
          'id',
        );
      }
      return jobDetail(job, options, caller);
    },
  });
}
