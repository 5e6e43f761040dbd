import { defined } from '@tablequeue/typeorm/internal';

import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import {
  CopyRequest,
  EditRequest,
  EnqueueRequest,
  JobDetail,
  ReasonRequest,
  RescheduleRequest,
  StoredJob,
} from '../../contract/index.js';
import type { Database } from '../../databases/database.registry.js';
import type { ResolvedOptions } from '../../options/dashboard.options.js';
import { JOB_ID, JOB_PROBLEMS, findJob, toJobDetail } from './job-detail.js';
import { maySetPayloads, showsWhole } from './redaction.js';
import { assertQueue } from '../queue-detail.js';

export const enqueueJob = route({
  name: 'enqueueJob',
  method: 'POST',
  path: 'jobs/enqueue',
  summary: 'Enqueue a job by hand',
  body: EnqueueRequest,
  response: StoredJob,
  problems: {
    404: 'No queue of this name has jobs, settings or workers.',
    409: 'Another job has the unique key, the queue is full, or payloads are hidden.',
  },
  run: async ({ database, body: { reason, runAt, delay, ...body }, options, caller }) => {
    assertMaySetPayloads(options);
    // A misspelled name would store a job that no worker claims.
    assertQueue((await database.overview.fresh()).queues, body.queue);
    const job = { ...body, ...defined({ delay, runAt: timeOf(runAt) }) };
    return { id: await database.queue.manual.enqueue(job, { by: caller.name, ...defined({ reason }) }) };
  },
});

export const copyJob = route({
  name: 'copyJob',
  method: 'POST',
  path: 'jobs/:id/copy',
  summary: 'Store a copy of a job, with the same or another payload',
  params: JOB_ID,
  body: CopyRequest,
  response: StoredJob,
  problems: {
    ...JOB_PROBLEMS,
    409: 'Another job has the unique key, the queue is full, or the payload is not shown completely.',
  },
  run: async ({ database, params: { id }, body: { runAt, ...body }, options, caller }) => {
    if (body.payload !== undefined) {
      await assertMayEdit(database, id, options);
    }
    const copy = { ...body, ...defined({ runAt: timeOf(runAt) }), by: caller.name };
    return { id: await database.queue.manual.copy(id, copy) };
  },
});

export const editJob = route({
  name: 'editJob',
  method: 'POST',
  path: 'jobs/:id/edit',
  summary: 'Retry a failed, cancelled or expired job with another payload',
  params: JOB_ID,
  body: EditRequest,
  response: JobDetail,
  problems: { ...JOB_PROBLEMS, 409: 'The state, the keys or the steps of the job do not allow it.' },
  run: async ({ database, params: { id }, body: { payload, reason }, options, caller }) => {
    await assertMayEdit(database, id, options);
    await database.queue.manual.retry(id, payload, { by: caller.name, ...defined({ reason }) });
    return toJobDetail(await findJob(database, id), options, caller);
  },
});

export const rescheduleJob = route({
  name: 'rescheduleJob',
  method: 'POST',
  path: 'jobs/:id/reschedule',
  summary: 'Give a scheduled or ready job another time',
  params: JOB_ID,
  body: RescheduleRequest,
  response: JobDetail,
  problems: { ...JOB_PROBLEMS, 409: 'Only for a job that is scheduled or ready, and that nothing else delays.' },
  run: async ({ database, params: { id }, body: { runAt, reason }, options, caller }) => {
    await database.queue.manual.reschedule(id, {
      runAt: new Date(runAt),
      by: caller.name,
      ...defined({ reason }),
    });
    return toJobDetail(await findJob(database, id), options, caller);
  },
});

export const deleteJob = route({
  name: 'deleteJob',
  method: 'POST',
  path: 'jobs/:id/delete',
  summary: 'Delete a job that has ended',
  params: JOB_ID,
  body: ReasonRequest,
  response: StoredJob,
  problems: { ...JOB_PROBLEMS, 409: 'Only for a job that has ended.' },
  run: async ({ database, params: { id }, body: { reason }, caller }) => {
    await database.queue.manual.delete(id, { by: caller.name, ...defined({ reason }) });
    return { id };
  },
});

function timeOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

/** @throws ApiProblem if payloads are hidden: users could not check what they store. */
function assertMaySetPayloads(options: ResolvedOptions): void {
  if (!maySetPayloads(options)) {
    throw new ApiProblem('conflict', 'This dashboard hides payloads, so it does not set them.', 'payload');
  }
}

/** @throws ApiProblem if the payload is not shown completely: what is hidden would be lost. */
async function assertMayEdit(database: Database, id: string, options: ResolvedOptions): Promise<void> {
  assertMaySetPayloads(options);
  if (!(await showsWhole(await findJob(database, id), 'payload', options))) {
    throw new ApiProblem(
      'conflict',
      'The dashboard does not show this payload completely, so what it hides would be lost.',
      'payload',
    );
  }
}
