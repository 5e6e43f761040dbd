import { identifyError } from '@tablequeue/typeorm/internal';

import type { ErrorMute, FailedError, FailedErrors, JobRow } from '../src/contract.js';
import { MINUTE, type Shop } from './shop.js';

/** The fingerprints of muted errors, each with the end of the mute. */
const MUTED = new Map<string, number>();

/** Mutes an error for a day, or ends its mute. */
export function changeMute(fingerprint: string, isMuted: boolean): ErrorMute {
  const mutedUntil = isMuted ? Date.now() + 24 * 60 * MINUTE : null;
  if (mutedUntil === null) {
    MUTED.delete(fingerprint);
  } else {
    MUTED.set(fingerprint, mutedUntil);
  }
  return { fingerprint, mutedUntil };
}

/** The made-up failed jobs by error. */
export function failuresOf(shop: Shop): FailedErrors {
  const failed = shop.find({ state: 'failed' });
  const byTitle = new Map<string, JobRow[]>();
  for (const row of failed) {
    const { title } = identifyError(row.error ?? '');
    byTitle.set(title, [...(byTitle.get(title) ?? []), row]);
  }
  const timeOf = (row: JobRow | undefined) => row?.finishedAt ?? 0;
  const errors = [...byTitle.values()].map((rows): FailedError => {
    const sorted = rows.toSorted((a, b) => timeOf(a) - timeOf(b));
    const identity = identifyError(rows[0]?.error ?? '');
    return {
      ...identity,
      count: rows.length,
      firstAt: timeOf(sorted[0]),
      lastAt: timeOf(sorted.at(-1)),
      queues: [...new Set(rows.map(({ queue }) => queue))].sort(),
      names: [...new Set(rows.map(({ name }) => name))].sort(),
      payloadVersions: [1],
      exampleId: sorted.at(-1)?.id ?? '',
      mutedUntil: MUTED.get(identity.fingerprint) ?? null,
    };
  });
  return {
    errors: errors.sort((a, b) => (a.mutedUntil ?? 0) - (b.mutedUntil ?? 0) || b.count - a.count),
    examined: failed.length,
    isComplete: true,
    since: failed.length === 0 ? null : Math.min(...failed.map(timeOf)),
    omitted: 0,
    encoded: 0,
  };
}
