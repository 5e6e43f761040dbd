import { expect } from '@jest/globals';
import type { Finding } from '@tablequeue/typeorm/doctor';

import { runHere } from './command-line.js';

/** What `doctor --json` prints. */
export interface DoctorReport {
  readonly database: string;
  readonly findings: readonly Finding[];
  readonly counts: Record<Finding['status'], number>;
}

/** Runs the doctor on a database; `by` are its findings by their checks. */
export async function doctor(url: string, ...args: string[]) {
  const { code, out, err } = await runHere(['doctor', '--json', '--url', url, ...args]);
  expect(err).toBe('');
  const report = JSON.parse(out) as DoctorReport;
  return { code, report, by: Object.fromEntries(report.findings.map((finding) => [finding.check, finding])) };
}
