import type { JobDetails, JobSnapshot } from '@tablequeue/typeorm';
import type { AwaitedGroup, LinkedJob } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../../api/api-problem.js';
import type { Caller } from '../../api/route.js';
import type { Attempt, JobDetail, JobGroup, JobLink } from '../../contract/index.js';
import type { ResolvedOptions } from '../../dashboard-options.js';
import type { Database } from '../../databases.js';
import { UUID, described } from '../../schema/json-schema.js';
import { actionsFor } from './actions-for.js';
import { jobRow } from './job-rows.js';
import { shownOf } from './shown.js';

/** The parameter of what is done with a job. */
export const JOB = { id: described(UUID, 'the id of the job') };

/** Of what is done with a job. */
export const JOB_PROBLEMS = { 404: 'There is no such job: it never was, or it has gone from the history.' };

/** What the path of such a route has. */
export interface JobParams {
  readonly params: { readonly id: string };
}

/** @throws ApiProblem */
export async function findJob({ queue }: Database, id: string): Promise<JobDetails> {
  const job = await queue.jobs.find(id);
  if (!job) {
    throw new ApiProblem('not-found', `There is no job ${id}: it never was, or it has gone from the history.`, 'id');
  }
  return job;
}

/** A job with everything that is shown of it. */
export async function jobDetail(job: JobDetails, options: ResolvedOptions, caller: Caller): Promise<JobDetail> {
  const { worker, trace } = job;
  const payload = await shownOf(job, 'payload', options);
  const result = await shownOf(job, 'result', options);
  const progress = await shownOf(job, 'progress', options);
  return {
    ...jobRow(job),
    payload: payload.value,
    progress: progress.value,
    isRedacted: [payload, result, progress].some(({ isRedacted }) => isRedacted),
    payloadVersion: job.payloadVersion,
    result: result.value,
    attempts: attemptsOf(job),
    worker: worker ? { id: String(worker.id), host: worker.host } : null,
    leaseEndsAt: worker?.leaseEndsAt.getTime() ?? null,
    trace: trace ?? null,
    waitsFor: job.waitsFor ? groupOf(job.waitsFor) : null,
    followedBy: job.callbacks.map(linkOf),
    actions: actionsFor(caller, job.state),
  };
}

function groupOf({ id, jobs, succeeded, failed, cancelled, pending, members }: AwaitedGroup): JobGroup {
  return { id, jobs, succeeded, failed, cancelled, pending, members: members.map(linkOf) };
}

function linkOf({ id, name, state }: LinkedJob): JobLink {
  return { id, name, state };
}

/** How many of the last attempts are told; those before of which there is an error are told as well. */
const MOST_ATTEMPTS = 20;

/**
 * An attempt without an error that is not the last of a job that runs or has succeeded came to no end. Those behind the last
 * error have crashed where as many crashes are counted as there are of them; where fewer are, one was handed back or put off,
 * and nobody knows which.
 */
function attemptsOf(job: JobSnapshot): Attempt[] {
  const { attempt: last, state, claimedAt, finishedAt, errors, crashes = 0 } = job;
  const isOpen = state === 'running';
  const lastError = errors.at(-1)?.attempt ?? 0;
  const haveCrashed = crashes === last - Number(isOpen) - lastError;
  const firstTold = Math.max(1, last - MOST_ATTEMPTS + 1);
  const errorOf = new Map(errors.map((each) => [each.attempt, each]));
  const attempts = errors.filter(({ attempt }) => attempt < firstTold).map(failedAttempt);
  for (let attempt = firstTold; attempt <= last; attempt++) {
    const failure = errorOf.get(attempt);
    if (failure) {
      attempts.push(failedAttempt(failure));
    } else if (attempt === last && (isOpen || state === 'succeeded')) {
      const [startedAt, endedAt] = [claimedAt?.getTime() ?? null, finishedAt?.getTime() ?? null];
      attempts.push({ attempt, startedAt, endedAt, outcome: state, error: null, stack: null });
    } else {
      const outcome = haveCrashed && attempt > lastError ? 'crashed' : 'broken-off';
      attempts.push({ attempt, startedAt: null, endedAt: null, outcome, error: null, stack: null });
    }
  }
  return attempts;
}

function failedAttempt({ attempt, claimedAt, failedAt, error }: JobSnapshot['errors'][number]): Attempt {
  const [first = '', ...rest] = error.split('\n');
  return {
    attempt,
    startedAt: claimedAt.getTime(),
    endedAt: failedAt.getTime(),
    outcome: 'failed',
    error: first,
    stack: rest.length > 0 ? rest.join('\n') : null,
  };
}
