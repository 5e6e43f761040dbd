import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { Reaper, Scheduler } from '@tablequeue/typeorm/internal';
import { TestingClock } from '@tablequeue/typeorm/testing';

import { RecordingLogger } from '../support/recording-logger.js';
import { type RoleWork, assertAllowed } from './role-works.js';

const code = defineJob('code', { expiresIn: '1m' });
const mail = defineJob('mail', { queue: 'mails' });

/** Jobs that expire. */
export const produceExpiring: RoleWork = async (own) => {
  await new TableQueue(own).enqueue(code);
};

/** A unique job whose key an expired one holds. */
export const produceExpiringUnique: RoleWork = async (own, admin) => {
  const queue = new TableQueue(own);
  await queue.enqueue(code, undefined, { unique: { key: 'k' } });
  await admin.query('UPDATE tq_job SET expires_at = 1');
  const { created } = await queue.enqueue(code, undefined, { unique: { key: 'k' } });
  if (!created) {
    throw new Error('the expired job was not ended');
  }
};

/** Jobs of a queue with a maximum length. */
export const produceLimited: RoleWork = async (own, admin) => {
  await new TableQueue(admin).control.limit('mails', { maxLength: 10 });
  const logger = new RecordingLogger();
  await new TableQueue(own, { logger }).enqueue(mail);
  const [refused] = logger.lines;
  if (refused) {
    throw new Error(refused);
  }
};

/** Ends expired jobs, checks one later whose first attempt runs, and fires a schedule of such jobs. */
export const expire: RoleWork = async (own, admin) => {
  const clock = new TestingClock();
  const queue = new TableQueue(admin, { clock });
  await queue.recurring.set('codes', code, undefined, { every: '1h' });
  const { id } = await queue.enqueue(code);
  const { id: running } = await queue.enqueue(code);
  await admin.query(
    `INSERT INTO tq_worker (id, host, pid, version, queues, started_at, seen_at, lease_until)
     VALUES (7, 'h', 1, '1', '[]', 0, 0, ${Date.now() + 20_000})`,
  );
  await admin.query(
    `UPDATE tq_job SET state = 'running', owner = 7, lane = 7, attempt = 1
     WHERE id = UNHEX('${running.replaceAll('-', '')}')`,
  );
  await admin.query('UPDATE tq_job SET expires_at = 1');
  await admin.query('UPDATE tq_expiry SET check_at = 1');
  const { engine, recurring } = new TableQueue(own, { clock });
  await new Reaper(engine).runOnce();
  if ((await queue.find(id))?.state !== 'expired' || (await queue.find(running))?.state !== 'running') {
    throw new Error('the job has not expired, or the other one does not run');
  }
  clock.advance('1h');
  const logger = new RecordingLogger();
  await new Scheduler(engine, recurring, logger).runOnce();
  assertAllowed(logger);
};
