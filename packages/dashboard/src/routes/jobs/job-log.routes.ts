import type { JobLogLine as StoredLine, JobSnapshot } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.error.js';
import { route } from '../../api/route.js';
import { JobLog, type JobLogLine } from '../../contract/index.js';
import { described, integer } from '../../contract/json-schema.js';
import type { ResolvedOptions } from '../../options/dashboard.options.js';
import { JOB_ID, JOB_PROBLEMS } from './job-detail.js';
import { redactedLine } from './redaction.js';

const PAGE = 1_000;

export const showLog = route({
  name: 'showLog',
  method: 'GET',
  path: 'jobs/:id/log',
  summary: 'The log of a job, page by page, by attempts',
  params: JOB_ID,
  query: {
    optional: {
      attempt: described(integer(0), 'with `seq`, the last line of the page before'),
      seq: integer(0),
      limit: described(integer(1, PAGE), `lines per page; default: ${PAGE}`),
    },
  },
  response: JobLog,
  problems: JOB_PROBLEMS,
  run: async ({
    database: { queue, reads },
    params: { id },
    query: { attempt = 0, seq = 0, limit = PAGE },
    options,
  }) => {
    const job = await reads.getOrRead(['job of a log', id], () => queue.find(id));
    if (!job) {
      throw new ApiProblem('not-found', `There is no job ${id}: it never existed, or it was pruned.`, 'id');
    }
    if (options.payloads === 'hidden') {
      return { lines: [], isHidden: true };
    }
    const lines = await reads.getOrRead(['log', id, attempt, seq, limit], () =>
      queue.jobs.logs(id, { after: { attempt, seq }, limit }),
    );
    return { lines: await Promise.all(lines.map((line) => toLine(job, line, options))), isHidden: false };
  },
});

async function toLine(job: JobSnapshot, line: StoredLine, options: ResolvedOptions): Promise<JobLogLine> {
  const { attempt, seq, loggedAt, level, dropped } = line;
  const stored = { message: line.message, fields: line.fields ?? null };
  const { value } = dropped > 0 ? { value: stored } : await redactedLine(job, stored, options);
  const { message = null, fields = null } = (
    typeof value === 'object' && value !== null ? value : { message: value }
  ) as Readonly<Record<string, unknown>>;
  return {
    attempt,
    seq,
    loggedAt: loggedAt.getTime(),
    level,
    message: typeof message === 'string' ? message : 'hidden by the application',
    fields,
    dropped,
  };
}
