import { expect, test } from '@jest/globals';

import { newJobId } from '../../definition/job-id.js';
import { databaseClock } from '../../engine/clock.js';
import { MysqlDialect } from '../../engine/mysql/mysql-dialect.js';
import type { TableNames } from '../../tables/table-names.js';
import { insertJobs } from './insert-jobs.js';
import type { NewJob } from './new-job.js';

/** From how many characters on V8 keeps a text by itself. */
const LARGE = 128 * 1024;

const tables = { job: 'tq_job', failureIndexes: {} } as unknown as TableNames;
const dialect = new MysqlDialect(tables, databaseClock, () => undefined, false);

function textFor(queue: string, name: string): string {
  const jobs = Array.from({ length: dialect.jobsPerInsert }, (): NewJob => {
    return {
      id: newJobId(),
      queue,
      name,
      key: null,
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
  return sql;
}

test('the text of an INSERT for many jobs names them in each row, and is none that V8 keeps by itself', () => {
  const sql = textFor('invoices', 'invoice.send');
  expect(sql.split("'invoices','invoice.send'")).toHaveLength(dialect.jobsPerInsert + 1);
  expect(sql.length).toBeLessThan(LARGE);
});

test('nor is it with long names, which are values then', () => {
  const sql = textFor('q'.repeat(60), 'n'.repeat(100));
  expect(sql).not.toContain('qq');
  expect(sql.length).toBeLessThan(LARGE);
});
