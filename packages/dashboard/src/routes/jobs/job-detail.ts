import { type JobDetails, type StepSnapshot, UndecodedValue } from '@tablequeue/typeorm';
import { type AwaitedGroup, EVENTS_QUEUE, type LinkedJob, actionsOf, isLive } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../../api/api-problem.error.js';
import type { Caller } from '../../api/route.js';
import type { JobAction, JobDetail, JobGroup, JobLink, JobState, JobStep, ManualAction } from '../../contract/index.js';
import { UUID, described } from '../../contract/json-schema.js';
import type { Database } from '../../databases/database.registry.js';
import type { ResolvedOptions } from '../../options/dashboard.options.js';
import { attemptsOf } from './attempts.js';
import { toJobRow } from './job-row.js';
import { maySetPayloads, redacted } from './redaction.js';

/** The path parameter of a route for one job. */
export const JOB_ID = { id: described(UUID, 'the id of the job') };

export const JOB_PROBLEMS = { 404: 'There is no such job: it never existed, or it was pruned.' };

/** A job with its steps. */
export interface JobWithSteps extends JobDetails {
  readonly steps: readonly StepSnapshot[];
}

/** @throws ApiProblem if there is no such job. */
export async function findJob({ queue }: Database, id: string): Promise<JobWithSteps> {
  const job = await queue.jobs.find(id);
  if (!job) {
    throw new ApiProblem('not-found', `There is no job ${id}: it never existed, or it was pruned.`, 'id');
  }
  return { ...job, steps: await queue.steps(id) };
}

/**
 * Returns the actions that a user may use on jobs of a state. The pages have no other list.
 *
 * @param isBlocking whether the job blocks its order key.
 */
export function allowedActions({ role }: Caller, state: JobState, isBlocking = false): JobAction[] {
  return role === 'operator' ? actionsOf(state, isBlocking) : [];
}

const PARTS = ['payload', 'result', 'progress'] as const;

/** Converts a job to the form on its own page. */
export async function toJobDetail(job: JobWithSteps, options: ResolvedOptions, caller: Caller): Promise<JobDetail> {
  const { worker, trace, order } = job;
  const payload = await redacted(job, 'payload', options);
  const result = await redacted(job, 'result', options);
  const progress = await redacted(job, 'progress', options);
  const isUndecoded = (part: (typeof PARTS)[number]) => job[part] instanceof UndecodedValue;
  return {
    ...toJobRow(job),
    payload: payload.value,
    progress: progress.value,
    isRedacted: [payload, result, progress].some(({ isRedacted }) => isRedacted),
    undecoded: options.payloads === 'hidden' ? [] : PARTS.filter(isUndecoded),
    payloadVersion: job.payloadVersion,
    result: result.value,
    attempts: attemptsOf(job),
    worker: worker ? { id: String(worker.id), host: worker.host, pid: worker.pid } : null,
    leaseEndsAt: worker?.leaseEndsAt.getTime() ?? null,
    trace: trace ?? null,
    waitsFor: job.waitsFor ? toGroup(job.waitsFor) : null,
    followedBy: job.callbacks.map(toLink),
    parent: job.parent ? toLink(job.parent) : null,
    steps: job.steps.map(toStep),
    // The parent of a child knows its outcome: retry the parent.
    order: order
      ? {
          ...order,
          head: order.head ?? null,
          blockedAt: order.blockedAt?.getTime() ?? null,
          ahead: order.ahead ?? null,
        }
      : null,
    actions: allowedActions(caller, job.state, isBlocking(job)).filter((action) => action !== 'retry' || !job.parent),
    manual:
      caller.role === 'operator'
        ? manualActionsOf(job, maySetPayloads(options) && !payload.isRedacted && !isUndecoded('payload'))
        : [],
  };
}

/** @param isEditable whether the payload is shown completely. */
function manualActionsOf({ queue, state, parent, steps }: JobWithSteps, isEditable: boolean): ManualAction[] {
  const isEvent = queue === EVENTS_QUEUE;
  const hasFailed = !isLive(state) && state !== 'succeeded';
  const allowed: Record<ManualAction, boolean> = {
    edit: hasFailed && isEditable && !isEvent && !parent && steps.length === 0,
    copy: !isEvent,
    'edit-copy': isEditable && !isEvent,
    reschedule: (state === 'scheduled' || state === 'ready') && !steps.some(isWait),
    delete: !isLive(state),
  };
  return (Object.keys(allowed) as ManualAction[]).filter((action) => allowed[action]);
}

/** An open step without a time has only stored its cursor. */
function isWait({ state, dueAt, awaits, children }: StepSnapshot): boolean {
  return state === 'open' && (dueAt !== undefined || awaits.length > 0 || children !== undefined);
}

function isBlocking({ id, order }: JobWithSteps): boolean {
  return order?.blockedAt !== undefined && order.head === id;
}

function toStep({ name, kind, state, attempt, failures, awaits, ...step }: StepSnapshot): JobStep {
  const { dueAt, error, took, recordedAt, children } = step;
  return {
    name,
    kind,
    state,
    attempt,
    failures,
    awaits,
    dueAt: dueAt?.getTime() ?? null,
    error: error ? `${error.name}: ${error.message}` : null,
    took: took ?? null,
    recordedAt: recordedAt.getTime(),
    children: children ? toGroup(children) : null,
  };
}

function toGroup({ id, jobs, succeeded, failed, cancelled, expired, pending, members }: AwaitedGroup): JobGroup {
  return { id, jobs, succeeded, failed, cancelled, expired, pending, members: members.map(toLink) };
}

function toLink({ id, name, state }: LinkedJob): JobLink {
  return { id, name, state };
}
