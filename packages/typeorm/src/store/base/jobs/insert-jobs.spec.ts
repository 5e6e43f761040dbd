import { expect, test } from '@jest/globals';

import { newJobId } from '../../../definition/job-id.js';
import { databaseClock } from '../../../engine/clock.js';
import { MysqlDialect } from '../../../engine/mysql/mysql-dialect.js';
import type { TableNames } from '../../../tables/table-names.js';
import { insertJobs } from './insert-jobs.js';
import type { NewJob } from './new-job.js';

/** V8 keeps texts from this number of characters on in pages of their own. */
const LARGE = 128 * 1024;

const tables = { job: 'tq_job' } as unknown as TableNames;
const dialect = new MysqlDialect(tables, databaseClock, () => undefined, false);

test('the text of an INSERT of many jobs does not start a new page', () => {
  const jobs = Array.from({ length: dialect.jobsPerInsert }, (): NewJob => {
    return {
      id: newJobId(),
      queue: 'invoices',
      name: 'invoice.send',
      key: null,
      order: null,
      payload: '{}',
      payloadVersion: 1,
      priority: 0,
      due: { delay: 0 },
      unique: null,
      tenant: null,
    };
  });
  const step = insertJobs(dialect, jobs).next();
  const [{ sql } = { sql: '' }] = step.done ? [] : step.value;
  expect(sql.split("'ready'")).toHaveLength(dialect.jobsPerInsert + 1);
  expect(sql.length).toBeLessThan(LARGE);
});
