import type { Row } from '../../../engine/operation.js';
import { sql } from '../../../engine/sql.js';
import type { ClaimedJob } from './claimed-job.js';

/** A job as the events of a worker report it. */
export type ReportedJob = Pick<ClaimedJob, 'id' | 'queue' | 'name' | 'key' | 'tenant' | 'attempt' | 'failures'>;

/** The columns of a `ReportedJob`. */
export const REPORTED_COLUMNS = sql`id, queue, name, job_key, tenant, attempt, failures`;

/** Makes a job of a row with `REPORTED_COLUMNS`. */
export function toReportedJob(row: Row): ReportedJob {
  return {
    id: row.id as Buffer,
    queue: row.queue as string,
    name: row.name as string,
    key: row.job_key as string | null,
    tenant: row.tenant as string | null,
    attempt: Number(row.attempt),
    failures: Number(row.failures),
  };
}
