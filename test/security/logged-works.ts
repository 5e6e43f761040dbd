import { TableQueue, defineJob, jobHandler } from '@tablequeue/typeorm';
import { TestingQueue } from '@tablequeue/typeorm/testing';

import { RecordingLogger } from '../support/recording-logger.js';
import { type RoleWork, assertAllowed } from './role-works.js';

const kept = defineJob('kept');
const left = defineJob('left', { keep: 'none' });

/** What an operator does with a finished job that has logged. */
export const deleteLogged: RoleWork = async (own, admin) => {
  const jobs = new TableQueue(admin);
  const { id } = await jobs.enqueue(kept);
  await new TestingQueue(jobs, [jobHandler(kept, (_payload, { log }) => log.info('a line'))]).drain();
  const { bulk } = new TableQueue(own);
  const operation = await bulk.start({ action: 'delete', ids: [id] });
  await bulk.run(operation.id);
};

/** Jobs that log. */
export const workWithLogs: RoleWork = async (own, admin) => {
  const logger = new RecordingLogger();
  const queue = new TableQueue(own, { logger });
  const jobs = new TableQueue(admin);
  // A line that is stored while it runs, for the job that is deleted.
  const { id } = await jobs.enqueue(left);
  await jobs.enqueue(kept);
  const testing = new TestingQueue(queue, [
    jobHandler(kept, (_payload, { log }) => log.info('a line')),
    jobHandler(left, async (_payload, { log }) => {
      log.info('a line');
      await admin.query(
        `INSERT INTO tq_log (job_id, attempt, seq, logged_at, level, message)
         VALUES (UNHEX('${id.replaceAll('-', '')}'), 1, 7, 0, 'info', 'stored')`,
      );
    }),
  ]);
  await testing.drain();
  assertAllowed(logger);
};
