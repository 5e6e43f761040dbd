/* A worker process of the tests. CONFIG is its task; it reports its events to its parent and ends at SIGTERM. */
import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue, TableQueueWorker, type WorkerOptions, batchHandler, jobHandler } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../support/connection-options.js';
import { manyHandlers } from '../support/events.js';
import {
  STEPS,
  batchJob,
  countJob,
  crashJob,
  holdJob,
  idleJob,
  sleepJob,
  spanJob,
  stepsJob,
  unevenJob,
  watchJob,
} from '../support/jobs.js';
import type { WorkerConfig, WorkerMessage } from '../support/worker-process.js';

const { engine, url, ...options } = JSON.parse(process.env.CONFIG ?? '{}') as WorkerConfig & WorkerOptions;

const dataSource = await new DataSource(connectionOptions(engine, url)).initialize();
const queue = new TableQueue(dataSource);

const released = new Promise<void>((resolve) => {
  process.on('message', (message) => message === 'release' && resolve());
});
const count = async (job: number) => {
  await dataSource.query('INSERT INTO run (job, process) VALUES (?, ?)', [job, process.pid]);
};

let held = 0;
const worker = new TableQueueWorker(
  queue,
  [
    jobHandler(countJob, count),
    jobHandler(idleJob, () => undefined),
    jobHandler(unevenJob, () => sleep(Math.random() * 30)),
    jobHandler(spanJob, async ({ number, tenant }) => {
      await dataSource.query('INSERT INTO span (job, process, tenant, began) VALUES (?, ?, ?, UTC_TIMESTAMP(6))', [
        number,
        process.pid,
        tenant,
      ]);
      // Long enough to meet others of its tenant.
      await dataSource.query('DO SLEEP(0.02)');
      await dataSource.query('UPDATE span SET ended = UTC_TIMESTAMP(6) WHERE job = ?', [number]);
    }),
    jobHandler(crashJob, () => process.kill(process.pid, 'SIGKILL')),
    jobHandler(holdJob, async (job) => {
      tell({ held: ++held });
      await released;
      await count(job);
    }),
    batchHandler(batchJob, async (jobs) => {
      tell({ batch: jobs.map(({ payload }) => payload) });
      for (const { payload, succeed } of jobs) {
        if (payload % 2 === 0) {
          await count(payload);
          succeed();
        }
      }
      await released;
      for (const { payload } of jobs) {
        if (payload % 2 === 1) {
          await count(payload);
        }
      }
    }),
    jobHandler(stepsJob, async (job, { step }) => {
      const numbers = Array.from({ length: STEPS }, (_, index) => ({ number: index, order: Math.random() }));
      const inRandomOrder = numbers.toSorted((a, b) => a.order - b.order);
      await Promise.all(
        inRandomOrder.map(({ number, order }) =>
          step(`step ${number}`, async () => {
            await count(job * STEPS + number);
            await sleep(order * 500);
          }),
        ),
      );
    }),
    jobHandler(sleepJob, async (duration, job) => {
      await job.step('before', () => process.pid);
      await job.sleep(duration);
      await job.step('after', () => process.pid);
    }),
    // Only where a test wants it: with a subscription it also fans events out.
    ...(process.env.EVENTS ? manyHandlers(1) : []),
    jobHandler(watchJob, async (_job, { signal }) => {
      tell({ held: ++held });
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    }),
  ],
  { maintenance: { retrier: '100ms', reaper: '100ms' }, ...options },
);
let lost = 0;
worker.events.on('lost', () => tell({ lost: ++lost }));
await worker.start();
tell({ started: true });

process.once('SIGTERM', () => {
  void (async () => {
    await worker.stop();
    await dataSource.destroy();
    process.exit();
  })();
});

function tell(message: WorkerMessage): void {
  process.send?.(message);
}
