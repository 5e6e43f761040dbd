import type { JobLog, JobRow } from '../src/contract.js';

/** The log of a made-up job. */
export function logOf(row: JobRow | undefined, after: number): JobLog | undefined {
  if (row === undefined) {
    return undefined;
  }
  const at = row.startedAt ?? row.createdAt;
  const line = { attempt: Math.max(1, row.attempt), dropped: 0, fields: null };
  const lines: JobLog['lines'] = [
    { ...line, seq: 1, loggedAt: at + 40, level: 'debug', message: 'The template is read', fields: { lang: 'en' } },
    { ...line, seq: 2, loggedAt: at + 180, level: 'info', message: 'Connected to mx1.shop.example' },
    { ...line, seq: 3, loggedAt: at + 320, level: 'warn', message: 'The receiver is slow', fields: { ms: 140 } },
  ];
  return { lines: after === 0 ? lines : [], isHidden: false };
}
