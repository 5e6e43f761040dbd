import type { DataSource } from 'typeorm';

import { ChildProcess } from '../../support/child-process.js';
import { fill } from '../client/fill.js';
import { openSubject } from '../client/open-subject.js';
import type { Metrics, Task } from '../client/task.js';
import { median } from '../statistics.js';
import { untilAtRest } from '../until-at-rest.js';
import { connect } from './queue-database.js';

const WORKER = new URL('many-processes-worker.js', import.meta.url);
const PROCESSES = 8;
/**
 * The share of the jobs that is not counted. One process has compiled its code when it has connected and done 10,000: a
 * third of the time that 40,000 take it, and less of the time of eight.
 */
const WARM_UP = 0.25;

/**
 * Eight worker processes on one queue, against one, in turn. Each has as many jobs for itself as the one: with the same
 * number in all, every process would still be compiling its code when they are done.
 */
export async function manyProcesses(task: Task): Promise<Metrics> {
  const ones: Run[] = [];
  const manyRuns: Run[] = [];
  for (let turn = 0; turn < task.counts.turns; turn++) {
    ones.push(await run(task, 1));
    manyRuns.push(await run(task, PROCESSES));
  }
  const [one, many] = [rateOf(ones), rateOf(manyRuns)];
  return {
    'one process /s': one,
    'eight processes /s': many,
    'eight processes to one': many / one,
    'eight processes, jobs run twice': sum(manyRuns.map(({ twice }) => twice)),
    'eight processes, deadlocks': sum(manyRuns.map(({ locks }) => locks.deadlocks)),
    'eight processes, waits for row locks': sum(manyRuns.map(({ locks }) => locks.waits)),
  };
}

interface Run {
  /** In jobs a second. */
  readonly rate: number;
  readonly twice: number;
  readonly locks: Locks;
}

/** What a server has counted. Rows that SKIP LOCKED passes over are not among the waits. */
interface Locks {
  readonly deadlocks: number;
  readonly waits: number;
}

function rateOf(runs: readonly Run[]): number {
  return median(runs.map(({ rate }) => rate));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function run(task: Task, processes: number): Promise<Run> {
  const jobs = task.counts.processes * processes;
  const subject = await openSubject(task);
  await fill(subject, jobs);
  await subject.close();
  const { dataSource } = await connect(task);
  const before = await locksOf(dataSource);
  const workers = Array.from({ length: processes }, () => {
    return ChildProcess.start(WORKER, { TASK: JSON.stringify(task) });
  });
  // All are ready before the first begins: starting eight processes is not what is measured.
  await Promise.all(workers.map((worker) => worker.nextMessage()));
  await untilAtRest([task.serverProcess]);
  let finished = 0;
  /** From when on it is counted, and how many were finished by then. */
  let begin: { readonly time: number; readonly finished: number } | undefined;
  const done = new Promise<void>((resolve) => {
    for (const worker of workers) {
      worker.onMessage((count) => {
        finished += count as number;
        if (finished >= jobs * WARM_UP) {
          begin ??= { time: performance.now(), finished };
        }
        if (finished === jobs) {
          resolve();
        }
      });
    }
  });
  const died = Promise.race(
    workers.map(async (worker) => {
      await worker.ended();
      throw new Error('A worker process ended unexpectedly.');
    }),
  );
  workers.forEach((worker) => worker.send('start'));
  await Promise.race([done, died]);
  const { time, finished: warmUp } = begin!;
  const rate = ((jobs - warmUp) / (performance.now() - time)) * 1000;
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
  const [entries] = (await dataSource.query(
    "SELECT COUNT(*) AS jobs, SUM(attempt) AS attempts FROM tq_job WHERE state = 'succeeded'",
  )) as { jobs: string; attempts: string }[];
  if (Number(entries?.jobs) !== jobs) {
    throw new Error(`${jobs} jobs were stored, ${entries?.jobs} have finished.`);
  }
  const after = await locksOf(dataSource);
  await dataSource.destroy();
  return {
    rate,
    twice: Number(entries?.attempts) - jobs,
    locks: { deadlocks: after.deadlocks - before.deadlocks, waits: after.waits - before.waits },
  };
}

async function locksOf(dataSource: DataSource): Promise<Locks> {
  const rows = (await dataSource.query(
    `SELECT name, count FROM information_schema.innodb_metrics
     WHERE name IN ('lock_deadlocks', 'lock_row_lock_waits')`,
  )) as { name: string; count: string }[];
  const countOf = (metric: string) => Number(rows.find(({ name }) => name === metric)?.count);
  return { deadlocks: countOf('lock_deadlocks'), waits: countOf('lock_row_lock_waits') };
}
