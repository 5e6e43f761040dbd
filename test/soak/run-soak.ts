import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { percentile } from '../bench/statistics.js';
import { obtainServer } from '../servers/obtain-server.js';
import type { Server } from '../servers/server.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import type { DatabaseObserver } from './database/database-vitals.js';
import { observeServer } from './database/observe-server.js';
import { observeSqlite } from './database/observe-sqlite.js';
import { EFFECTS } from './load/jobs.js';
import type { SoakPlan } from './plan.js';
import type { ProcessPlan } from './processes/messages.js';
import { PROCESSES, type ProcessName, type Sample } from './sample.js';
import { SoakProcess } from './soak-process.js';

/** How long what was enqueued may take to be done when nothing more is, in ms. */
const PATIENCE = 120_000;

/** Receives the events of a run. */
export interface SoakListener {
  readonly log: (message: string) => void;
  readonly begin: (version: string) => void;
  readonly sample: (sample: Sample) => void;
}

type Processes = Readonly<Record<ProcessName, SoakProcess>>;

/**
 * Runs a soak: a server, a producer, two workers and a dashboard. The last sample is taken when everything that was
 * enqueued is done.
 */
export async function runSoak(plan: SoakPlan, listener: SoakListener): Promise<void> {
  const server = plan.engine === 'sqlite' ? undefined : await serverOf(plan.engine, listener);
  let database: TestDatabase | undefined;
  let observer: DatabaseObserver | undefined;
  const started: SoakProcess[] = [];
  try {
    database = await createDatabase(plan.engine, server?.url);
    await prepare(database);
    observer = await (server ? observeServer(server, database.url) : observeSqlite(database.url));
    listener.begin(observer.version);
    const { engine, rate, retentionAge } = plan;
    const processPlan: ProcessPlan = { engine, url: database.url, rate, retentionAge };
    const processes = Object.fromEntries(
      PROCESSES.map((name) => [name, new SoakProcess(name, processPlan, listener.log)]),
    ) as Processes;
    started.push(...Object.values(processes));
    await Promise.all(started.map((process) => process.ready));
    await observe(plan, processes, observer, listener);
  } finally {
    await Promise.all(started.map((process) => process.stop()));
    await observer?.close();
    await database?.drop();
    await server?.stop();
  }
}

async function serverOf(engine: 'mariadb' | 'mysql', { log }: SoakListener): Promise<Server> {
  const server = await obtainServer(engine, log, 'soak');
  if ('reason' in server) {
    throw new Error(`There is no ${engine}: ${server.reason}`);
  }
  return server;
}

async function prepare(database: TestDatabase): Promise<void> {
  const dataSource = await database.connect();
  if (database.engine === 'sqlite') {
    await dataSource.query('PRAGMA journal_mode = WAL');
  }
  await dataSource.query(`CREATE TABLE ${EFFECTS.table} (id INTEGER PRIMARY KEY, runs INTEGER NOT NULL)`);
  for (let id = 0; id < EFFECTS.rows; id++) {
    await dataSource.query(`INSERT INTO ${EFFECTS.table} (id, runs) VALUES (?, 0)`, [id]);
  }
  await dataSource.destroy();
}

async function observe(
  { duration, interval }: SoakPlan,
  processes: Processes,
  observer: DatabaseObserver,
  listener: SoakListener,
): Promise<void> {
  const since = performance.now();
  const take = async () => {
    const sample = await takeSample(performance.now() - since, processes, observer);
    listener.sample(sample);
    return sample;
  };
  const until = (due: number) => sleep(Math.max(0, since + due - performance.now()));
  for (let due = 0; due < duration; due += interval) {
    await until(due);
    await take();
  }
  await until(duration);
  listener.log('waiting for what was enqueued …');
  await Promise.all([processes.producer.quiet(), processes.dashboard.quiet()]);
  const end = performance.now();
  while ((await take()).database.liveJobs > 0 && performance.now() - end < PATIENCE) {
    await sleep(1_000);
  }
  // What was counted before no job was seen is not all.
  await take();
}

async function takeSample(at: number, processes: Processes, observer: DatabaseObserver): Promise<Sample> {
  const vitals = await Promise.all(PROCESSES.map(async (name) => [name, await processes[name].measure()] as const));
  const latencies = vitals.flatMap(([, each]) => each.latencies);
  return {
    at,
    processes: Object.fromEntries(
      vitals.map(([name, { latencies: _told, ...rest }]) => [name, rest]),
    ) as Sample['processes'],
    latency: latencies.length > 0 ? { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) } : undefined,
    database: await observer.observe(),
    load: loadavg()[0],
  };
}
