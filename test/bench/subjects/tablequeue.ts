import { TableQueue, TableQueueWorker, defineJob, jobHandler } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import type { Engine } from '../../servers/engines.js';
import { connectionOptions } from '../../support/connection-options.js';
import { BULK, inChunks } from '../in-chunks.js';
import { recreateTables } from '../recreate-tables.js';
import type { BenchPayload, Subject, SubjectModule } from '../subject.js';

export { openSteps } from './tablequeue-steps.js';

const benchJob = defineJob<BenchPayload>('bench.job', { queue: 'bench' });

/**
 * Twice the size of one claim, so that it can claim while jobs run, as the bare pipeline does. Compared with the size
 * of one claim: 1.04 times as many jobs on MariaDB, 1.03 on MySQL, and no more memory (decision 0011).
 */
const CONCURRENCY = 1_600;

/** A file has no server to set up: plainjob's own settings, for a fair comparison. */
const SQLITE_SETTINGS = ['journal_mode = WAL', 'synchronous = NORMAL'];

/** Tablequeue, through its public API. */
export const open: SubjectModule['open'] = async (url, ground) => {
  const engine = ground as Engine;
  const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
  if (engine === 'sqlite') {
    for (const pragma of SQLITE_SETTINGS) {
      await dataSource.query(`PRAGMA ${pragma}`);
    }
  }
  const queue = new TableQueue(dataSource);
  return {
    reset: () => recreateTables(dataSource),
    async enqueueMany(payloads) {
      await inChunks(payloads, BULK, (chunk) =>
        queue.enqueueMany(
          benchJob,
          chunk.map((payload) => ({ payload })),
        ),
      );
    },
    async enqueue(payload) {
      await queue.enqueue(benchJob, payload);
    },
    async work({ started, finished }) {
      const worker = new TableQueueWorker(queue, [jobHandler(benchJob, started)], {
        concurrency: CONCURRENCY,
      });
      // Called after the commit.
      worker.events.on('succeeded', finished);
      await worker.start();
      return () => worker.stop();
    },
    close: () => dataSource.destroy(),
  } satisfies Subject;
};
