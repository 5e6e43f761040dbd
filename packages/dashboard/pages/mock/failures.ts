import { identifyError } from '@tablequeue/typeorm/internal';

import type { FailedErrors, JobRow } from '../src/contract.js';
import type { Shop } from './shop.js';

/** The made-up failed jobs by error. */
export function failuresOf(shop: Shop): FailedErrors {
  const failed = shop.find({ state: 'failed' });
  const byTitle = new Map<string, JobRow[]>();
  for (const row of failed) {
    const { title } = identifyError(row.error ?? '');
    byTitle.set(title, [...(byTitle.get(title) ?? []), row]);
  }
  const timeOf = (row: JobRow | undefined) => row?.finishedAt ?? 0;
  const errors = [...byTitle.values()].map((rows) => {
    const sorted = rows.toSorted((a, b) => timeOf(a) - timeOf(b));
    return {
      ...identifyError(rows[0]?.error ?? ''),
      count: rows.length,
      firstAt: timeOf(sorted[0]),
      lastAt: timeOf(sorted.at(-1)),
      queues: [...new Set(rows.map(({ queue }) => queue))].sort(),
      names: [...new Set(rows.map(({ name }) => name))].sort(),
      exampleId: sorted.at(-1)?.id ?? '',
    };
  });
  return {
    errors: errors.sort((a, b) => b.count - a.count),
    examined: failed.length,
    isComplete: true,
    since: failed.length === 0 ? null : Math.min(...failed.map(timeOf)),
    omitted: 0,
    encoded: 0,
  };
}
