import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { Pruner } from '@tablequeue/typeorm/internal';
import { TestingClock } from '@tablequeue/typeorm/testing';
import type { DataSource } from 'typeorm';

import type { RoleWork } from './role-works.js';

const job = defineJob('job');
const CANCEL = { action: 'cancel', filter: { state: 'ready' } } as const;

async function enqueue(admin: DataSource): Promise<TableQueue> {
  const queue = new TableQueue(admin);
  await queue.enqueue(job);
  return queue;
}

/** Bulk operations of a dashboard, the command line and operators. */
export const operateInBulk: RoleWork = async (own, admin) => {
  await enqueue(admin);
  const { bulk } = new TableQueue(own);
  const { id } = await bulk.start({ ...CANCEL, by: 'ada' });
  await bulk.run(id);
  await bulk.stop(id);
  await bulk.list();
};

/** What a worker does for an operation that another process has started, and deletes after the retention. */
export const workInBulk: RoleWork = async (own, admin) => {
  const { id } = await (await enqueue(admin)).bulk.start(CANCEL);
  const clock = new TestingClock();
  const { bulk, engine } = new TableQueue(own, { clock });
  await bulk.run(id);
  clock.advance('91d');
  await new Pruner(engine).runOnce();
};
