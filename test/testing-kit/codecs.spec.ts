import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TableQueue, TableQueueJob, defineJob, jobHandler } from '@tablequeue/typeorm';
import { DrainFailedError, TestingClock, TestingQueue, inMemoryDatabase } from '@tablequeue/typeorm/testing';
import { DataSource } from 'typeorm';

import { aes, made, slow } from '../support/codecs.js';

const mail = defineJob<{ to: string }>('mail');
const ADA = { to: 'ada@example.org' };

let dataSource: DataSource;
beforeEach(async () => {
  dataSource = await new DataSource(inMemoryDatabase([])).initialize();
});
afterEach(() => dataSource.destroy());

const queueOf = (codec: ReturnType<typeof aes>) => new TableQueue(dataSource, { clock: new TestingClock(), codec });

test.each([{}, { restart: 'every step' }] as const)(
  'a drain encodes and decodes as a worker does: %j',
  async (options) => {
    const queue = queueOf(slow(aes('key')));
    const testing = new TestingQueue(queue, [
      jobHandler(mail, async (payload, job) => ({ step: await job.step('send', () => payload.to) })),
    ]);
    const { id } = await queue.enqueue(mail, ADA);
    await testing.expectEnqueued(mail, { payload: { to: 'ada@example.org' } });
    const ran = await testing.drain(options);
    expect(ran.at(-1)).toMatchObject({ id, outcome: 'succeeded', payload: ADA });
    expect(await queue.find(id)).toMatchObject({ result: { step: 'ada@example.org' } });
    const [row] = await dataSource.getRepository(TableQueueJob).find();
    expect([row!.payload, row!.result].map((text) => text!.slice(0, 10))).toEqual(['codec:key,', 'codec:key,']);
  },
);

test('a drain fails for a codec that cannot read what it has written', async () => {
  const queue = queueOf(made('one-way', { encode: (text) => text.slice(1) }));
  const testing = new TestingQueue(queue, [jobHandler(mail, () => undefined)]);
  await queue.enqueue(mail, ADA);
  const drain = testing.drain();
  await expect(drain).rejects.toThrow(DrainFailedError);
  await expect(drain).rejects.toThrow('The codec "one-way" could not decode the payload of job "mail"');
});
