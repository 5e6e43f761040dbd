/*
 * Concurrent callers, some with transactions; none of them makes a call beside its own. A process without Jest, which
 * follows promises on its own. Prints their errors.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue, defineJob } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import type { WorkerConfig } from '../support/worker-process.js';

const CALLS = 20;

const { engine, url } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig;
const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const queue = new TableQueue(dataSource, { outsideTransaction: 'throw' });
const mail = defineJob('mail');
const errors = new Set<string>();

async function callRepeatedly(work: () => Promise<unknown>): Promise<void> {
  await sleep(5);
  for (let call = 0; call < CALLS; call++) {
    await work().catch((error: unknown) => errors.add(String(error)));
    await queue.enqueue(mail).catch((error: unknown) => errors.add(String(error)));
  }
}

const cancelled = async () => queue.cancel((await queue.enqueue(mail, undefined, { delay: '1h' })).id);
const many = () => queue.enqueueMany(mail, [{}, {}]);
const withinOne = () => {
  return dataSource.transaction(async (manager) => {
    await queue.enqueue(mail, undefined, { manager });
    await sleep(30);
  });
};

for (const others of [
  [many, many],
  [cancelled, cancelled],
  [many, many, withinOne],
  [cancelled, cancelled, withinOne],
]) {
  await Promise.all(others.map(callRepeatedly));
}
await dataSource.destroy();
console.log([...errors].join('\n') || 'nothing');
