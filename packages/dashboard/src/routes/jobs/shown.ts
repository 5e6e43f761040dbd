import { isDeepStrictEqual } from 'node:util';

import type { JobSnapshot } from '@tablequeue/typeorm';

import type { DashboardJob, ResolvedOptions } from '../../dashboard-options.js';

/** What is shown of a payload, a result or a progress. */
export interface Shown {
  readonly value: unknown;
  readonly isRedacted: boolean;
}

const NOTHING: Shown = { value: null, isRedacted: true };

/** Hides what is to be hidden. A `redact` that throws, or makes what is no JSON, shows nothing rather than everything. */
export async function shownOf(job: JobSnapshot, part: DashboardJob['part'], options: ResolvedOptions): Promise<Shown> {
  const stored = job[part] ?? null;
  if (stored === null) {
    return { value: null, isRedacted: false };
  }
  // How far it is gives nothing away.
  if (part === 'progress' && typeof stored === 'number') {
    return { value: stored, isRedacted: false };
  }
  if (options.payloads === 'hidden') {
    return NOTHING;
  }
  if (!options.redact) {
    return { value: stored, isRedacted: false };
  }
  const { id, name, queue, key, tenant } = job;
  try {
    const value = (await options.redact(structuredClone(stored), { id, name, queue, key, tenant, part })) ?? null;
    if (JSON.stringify(value) === undefined) {
      return NOTHING;
    }
    return { value, isRedacted: !isDeepStrictEqual(value, stored) };
  } catch {
    return NOTHING;
  }
}
