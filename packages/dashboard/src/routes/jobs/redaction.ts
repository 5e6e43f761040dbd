import { isDeepStrictEqual } from 'node:util';

import { type JobSnapshot, UndecodedValue } from '@tablequeue/typeorm';

import type { DashboardJob, ResolvedOptions } from '../../options/dashboard.options.js';

/** What is shown of a payload, a result or a progress. */
interface Redacted {
  readonly value: unknown;
  readonly isRedacted: boolean;
}

const HIDDEN: Redacted = { value: null, isRedacted: true };

/** Applies `payloads` and `redact`. If `redact` throws or returns a value that is not JSON, the value is hidden. */
export async function redacted(
  job: JobSnapshot,
  part: Exclude<DashboardJob['part'], 'log'>,
  options: ResolvedOptions,
): Promise<Redacted> {
  const stored = job[part] ?? null;
  // A number as progress reveals nothing.
  if (stored === null || (part === 'progress' && typeof stored === 'number')) {
    return { value: stored, isRedacted: false };
  }
  if (options.payloads === 'hidden') {
    return HIDDEN;
  }
  if (stored instanceof UndecodedValue) {
    return { value: String(stored), isRedacted: false };
  }
  if (!options.redact) {
    return { value: stored, isRedacted: false };
  }
  return redactedBy(options.redact, job, part, stored);
}

/** Whether users may give jobs a payload: not where they cannot see it afterwards. */
export function maySetPayloads({ payloads }: ResolvedOptions): boolean {
  return payloads !== 'hidden';
}

/** Whether a value of a job is shown as it is stored. */
export async function showsWhole(
  job: JobSnapshot,
  part: Exclude<DashboardJob['part'], 'log'>,
  options: ResolvedOptions,
): Promise<boolean> {
  return !(job[part] instanceof UndecodedValue) && !(await redacted(job, part, options)).isRedacted;
}

/** Applies `redact` to a line of a log. It was asked before whether logs are shown. */
export function redactedLine(
  job: JobSnapshot,
  line: { readonly message: string; readonly fields: unknown },
  { redact }: ResolvedOptions,
): Promise<Redacted> | Redacted {
  return redact ? redactedBy(redact, job, 'log', line) : { value: line, isRedacted: false };
}

async function redactedBy(
  redact: NonNullable<ResolvedOptions['redact']>,
  { id, name, queue, key, tenant }: JobSnapshot,
  part: DashboardJob['part'],
  stored: unknown,
): Promise<Redacted> {
  try {
    const value = (await redact(structuredClone(stored), { id, name, queue, key, tenant, part })) ?? null;
    if (JSON.stringify(value) === undefined) {
      return HIDDEN;
    }
    return { value, isRedacted: !isDeepStrictEqual(value, stored) };
  } catch {
    return HIDDEN;
  }
}
