import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DatabaseFullError, TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { ownServer } from '../servers/obtain-server.js';
import type { Server } from '../servers/server.js';
import { createDatabase } from '../support/database.js';
import { describeEach } from '../support/each-engine.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { waitFor } from '../support/wait-for.js';

/** How many jobs end while the disk is full. */
const JOBS = 20;
/** Does not fit into any space that happens to be free. */
const LARGE = 'r'.repeat(60_000);
const hold = defineJob<number>('hold');
const large = defineJob<string>('large');

/** The space for stored data. */
interface Disk {
  fill(dataSource: DataSource): Promise<void>;
  clear(dataSource: DataSource): Promise<void>;
}

/** A table takes all that is left of a server's one file. */
const ONE_FILE: Disk = {
  async fill(dataSource) {
    await dataSource.query('CREATE TABLE filler (data LONGBLOB)');
    for (const size of [1_000_000, 100_000, 10_000]) {
      while (await fits(dataSource.query('INSERT INTO filler VALUES (REPEAT(?, ?))', ['f', size])));
    }
  },
  clear: (dataSource) => dataSource.query('DROP TABLE filler'),
};

async function fits(insert: Promise<unknown>): Promise<boolean> {
  return insert.then(
    () => true,
    (error: { errno?: number }) => {
      if (error.errno !== 1114) {
        throw error;
      }
      return false;
    },
  );
}

/** The file may not become larger. */
const NO_MORE_PAGES: Disk = {
  async fill(dataSource) {
    const [row] = (await dataSource.query('PRAGMA page_count')) as { page_count: number }[];
    await dataSource.query(`PRAGMA max_page_count = ${row!.page_count}`);
  },
  clear: (dataSource) => dataSource.query('PRAGMA max_page_count = 1000000'),
};

/** Jobs end while the disk is full: all their outcomes are stored once it has space, and nothing has run twice. */
async function expectNothingLost(dataSource: DataSource, disk: Disk): Promise<void> {
  const queue = new TableQueue(dataSource);
  const logger = new RecordingLogger();
  const release: (() => void)[] = [];
  const handler = jobHandler(hold, async (payload) => {
    await new Promise<void>((resolve) => release.push(resolve));
    return `${payload} ${LARGE}`;
  });
  const worker = new TableQueueWorker(queue, [handler], { logger, pollInterval: '50ms', concurrency: JOBS });
  await worker.start();
  try {
    const payloads = Array.from({ length: JOBS }, (_, payload) => ({ payload }));
    const jobs = await queue.enqueueMany(hold, payloads);
    await waitFor('they run', () => release.length === JOBS);
    await disk.fill(dataSource);
    await expect(queue.enqueue(large, LARGE)).rejects.toThrow(DatabaseFullError);
    release.forEach((end) => end());
    const isReported = () => logger.lines.some((line) => line.includes('Free space on the disk'));
    await waitFor('it is reported', isReported);
    await disk.clear(dataSource);
    const found = () => Promise.all(jobs.map(({ id }) => queue.find(id)));
    await waitFor('all outcomes are stored', async () => {
      return (await found()).every((job) => job?.state === 'succeeded');
    });
    const results = (await found()).map((job) => job?.result);
    expect(results).toEqual(payloads.map(({ payload }) => `${payload} ${LARGE}`));
    expect(release.length).toBe(JOBS);
    await expect(queue.enqueue(large, LARGE)).resolves.toBeDefined();
  } finally {
    await worker.stop();
  }
}

describeEach(
  'a disk that is full',
  (engine) => {
    let server: Server | undefined;
    beforeAll(async () => {
      server = engine === 'sqlite' ? undefined : await ownServer(engine, 'small');
    });
    afterAll(() => server?.stop());

    test('all outcomes are stored, complete, when there is space again', async () => {
      const database = await createDatabase(engine, server?.url);
      await expectNothingLost(await database.connect(), server ? ONE_FILE : NO_MORE_PAGES);
      await database.drop();
    });
  },
  // MariaDB has its undo log in that file too: when it is full nothing can be deleted either, to free space.
  ['mysql', 'sqlite'],
);
