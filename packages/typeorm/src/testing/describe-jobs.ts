import { inspect } from 'node:util';

import type { JobSnapshot } from '../store/reports/find-jobs.js';
import { type AnyJobMatch, mismatchesOf } from './job-match.js';

/** The maximum of jobs in an error message. */
const MOST_SHOWN = 20;

/** Describes a match in words. */
export function describeMatch(
  name: string | undefined,
  { manager: _m, queryRunner: _q, via: _v, ...match }: AnyJobMatch,
) {
  const job = name === undefined ? 'a job' : `a job "${name}"`;
  return Object.keys(match).length === 0 ? job : `${job} with ${inspect(match, { depth: 6 })}`;
}

/** Lists the jobs, those of the name first and with the reasons why they do not match. */
export function describeJobs(jobs: readonly JobSnapshot[], name?: string, match: AnyJobMatch = {}): string {
  if (jobs.length === 0) {
    return 'No job was enqueued at all.';
  }
  const ofKind = jobs.filter((job) => job.name === name);
  const others = jobs.filter((job) => job.name !== name);
  const shown = [...ofKind, ...others].slice(0, MOST_SHOWN);
  const lines = shown.flatMap((job) => [
    `  ${describeJob(job)}`,
    ...(job.name === name ? mismatchesOf(job, match).map((mismatch) => `    ${mismatch}`) : []),
  ]);
  const rest = jobs.length - shown.length;
  return ['Enqueued were:', ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}

function describeJob({ name, queue, state, key, payload }: JobSnapshot): string {
  const label = key === undefined ? '' : `, key ${inspect(key)}`;
  return `${name} (${state} in queue ${inspect(queue)}${label}) ${inspect(payload, { depth: 6 })}`;
}
