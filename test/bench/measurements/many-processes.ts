import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { DataSource } from 'typeorm';

import type { Metrics, Task } from '../client/task.js';
import { connectToEmpty, storeNumbers } from './queue-database.js';

const PROCESSES = 8;
/** Of each process, as in the drain. */
const CONCURRENCY = 500;

/** Eight worker processes on one queue, against one. */
export async function manyProcesses(task: Task): Promise<Metrics> {
  const one = await rateOf(task, 1);
  const many = await rateOf(task, PROCESSES);
  return {
    'one process /s': one.rate,
    'eight processes /s': many.rate,
    'eight processes to one': many.rate / one.rate,
    'eight processes, jobs run twice': many.twice,
    'eight processes, deadlocks': many.deadlocks,
  };
}

async function rateOf(task: Task, processes: number): Promise<{ rate: number; twice: number; deadlocks: number }> {
  const { dataSource, queue } = await connectToEmpty(task);
  const jobs = task.counts.processes;
  await storeNumbers(queue, jobs);
  const deadlocksBefore = await deadlocksOf(dataSource);
  const workers = Array.from({ length: processes }, () => {
    return spawn(process.execPath, [fileURLToPath(new URL('many-processes-worker.js', import.meta.url))], {
      env: { ...process.env, TASK: JSON.stringify(task), CONCURRENCY: String(CONCURRENCY) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  });
  const killAtExit = () => workers.forEach((worker) => worker.kill('SIGKILL'));
  process.on('exit', killAtExit);
  let finished = 0;
  let allDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (allDone = resolve));
  // All are ready before the first begins: starting eight processes is not what is measured.
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  for (const worker of workers) {
    worker.on('message', (count: number) => (finished += count) === jobs && allDone());
  }
  const since = performance.now();
  workers.forEach((worker) => worker.send('start'));
  await done;
  const rate = (jobs / (performance.now() - since)) * 1000;
  await Promise.all(
    workers.map(async (worker) => {
      worker.kill('SIGTERM');
      await once(worker, 'exit');
    }),
  );
  process.off('exit', killAtExit);
  const [entries] = (await dataSource.query('SELECT COUNT(*) AS jobs, SUM(attempt) AS attempts FROM tq_history')) as {
    jobs: string;
    attempts: string;
  }[];
  if (Number(entries?.jobs) !== jobs) {
    throw new Error(`${jobs} jobs were stored, ${entries?.jobs} are in the history.`);
  }
  const deadlocks = (await deadlocksOf(dataSource)) - deadlocksBefore;
  await dataSource.destroy();
  return { rate, twice: Number(entries?.attempts) - jobs, deadlocks };
}

async function deadlocksOf(dataSource: DataSource): Promise<number> {
  const [row] = (await dataSource.query(
    "SELECT count AS deadlocks FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'",
  )) as { deadlocks: string }[];
  return Number(row?.deadlocks);
}
