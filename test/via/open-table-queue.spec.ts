import { afterEach, expect, test } from '@jest/globals';
import {
  DatabaseUnavailableError,
  InvalidOptionError,
  type TableQueue,
  TableQueueWorker,
  defineJob,
  jobHandler,
  openTableQueue,
} from '@tablequeue/typeorm';

import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { useDatabase } from '../support/use-database.js';

const double = defineJob<number>('double');

describeEach('openTableQueue', (engine) => {
  const database = useDatabase(engine, createDatabase);
  let queue: TableQueue | undefined;
  afterEach(async () => {
    await queue?.dataSource.destroy();
    queue = undefined;
  });

  const url = () => (engine === 'sqlite' ? `sqlite:${database.url}` : database.url);

  test('opens a queue and runs a worker', async () => {
    queue = await openTableQueue(url());
    const worker = new TableQueueWorker(queue, [jobHandler(double, (payload) => payload * 2)]);
    await worker.start();
    const { id } = await queue.enqueue(double, 21);
    expect(await queue.waitFor(id)).toBe(42);
    await worker.stop();
  });

  test('passes options on, and closes the connections if one is wrong', async () => {
    await expect(openTableQueue(url(), { maxPayloadBytes: -1 })).rejects.toThrow(InvalidOptionError);
    await expect(openTableQueue(url(), { prefix: 'no spaces ' })).rejects.toThrow(InvalidOptionError);
    queue = await openTableQueue(url(), { maxPayloadBytes: 99 });
    expect(queue.maxPayloadBytes).toBe(99);
  });

  test('refuses other URLs, and does not show a password', async () => {
    const wrong = [
      'postgres://ada:secret@host/shop',
      'mysql://ada:secret@host',
      'mysql://ada:secret@host/shop?ssl=1',
      'mysql:secret',
      'sqlite::memory:',
      'sqlite:',
      undefined as never,
    ];
    for (const each of wrong) {
      const error: unknown = await openTableQueue(each).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(String(error)).not.toContain('secret');
    }
  });

  test('names a database that does not answer', async () => {
    const away = engine === 'sqlite' ? 'sqlite:/dev/null/file' : 'mysql://ada:secret@127.0.0.1:1/shop';
    await expect(openTableQueue(away)).rejects.toThrow(DatabaseUnavailableError);
  });
});
