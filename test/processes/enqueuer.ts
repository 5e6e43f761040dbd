/*
 * A process that enqueues unique jobs in every possible way. CONFIG is its task; it reports the results to its parent.
 */
import { DuplicateJobError, type EnqueuedJob, TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { type EnqueuingConfig, type EnqueuingReport, uniqueJob } from '../support/enqueuing.js';

const { engine, url, keys, rounds } = JSON.parse(process.env.CONFIG ?? '{}') as EnqueuingConfig;
const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const queue = new TableQueue(dataSource);

const created: string[] = [];
const errors: string[] = [];
let clashes = 0;
let deadlocks = 0;

const count = (jobs: readonly EnqueuedJob[]) => {
  jobs.forEach((job) => (job.created ? created.push(job.id) : clashes++));
};
const jobOf = (key: number) => ({ key, by: process.pid });
const drawn = () => Math.floor(Math.random() * keys);
const rules = { while: 'unfinished' } as const;

/** A transaction of the application's is its own to run again: see `docs/guides/unique-jobs.md`. */
const isDeadlock = (error: unknown) => error instanceof Error && 'errno' in error && error.errno === 1213;

const ways: (() => Promise<void>)[] = [
  async () => {
    const key = drawn();
    count([await queue.enqueue(uniqueJob, jobOf(key), { unique: { ...rules, key: `${key}` } })]);
  },
  async () => {
    const key = drawn();
    const unique = { ...rules, key: `${key}`, onConflict: 'replace' } as const;
    count([await queue.enqueue(uniqueJob, jobOf(key), { unique })]);
  },
  async () => {
    const key = drawn();
    const unique = { ...rules, key: `${key}`, onConflict: 'throw' } as const;
    count([await queue.enqueue(uniqueJob, jobOf(key), { unique })]);
  },
  // Part of the application's transaction, at its isolation, and committed some time later.
  async () => {
    const key = drawn();
    const enqueue = () =>
      dataSource.transaction(async (manager) => {
        const job = await queue.enqueue(uniqueJob, jobOf(key), { unique: { ...rules, key: `${key}` }, manager });
        await manager.query('SELECT 1');
        return job;
      });
    const stored = await enqueue().catch((error: unknown) => {
      if (!isDeadlock(error)) {
        throw error;
      }
      deadlocks++;
      return enqueue();
    });
    count([stored]);
  },
  // Many at once, in an order of their own.
  async () => {
    const some = Array.from({ length: 5 }, drawn);
    count(
      await queue.enqueueMany(
        uniqueJob,
        some.map((key) => ({ payload: jobOf(key), unique: { ...rules, key: `${key}` } })),
      ),
    );
  },
];

process.once('message', () => {
  void (async () => {
    for (let round = 0; round < rounds; round++) {
      const way = ways[Math.floor(Math.random() * ways.length)]!;
      await way().catch((error: unknown) => {
        if (error instanceof DuplicateJobError) {
          clashes++;
        } else {
          errors.push(String(error));
        }
      });
    }
    const report: EnqueuingReport = { created, clashes, deadlocks, errors };
    process.send?.(report);
    await dataSource.destroy();
    process.exit();
  })();
});
process.send?.('ready');
