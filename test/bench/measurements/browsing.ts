import 'reflect-metadata';

import type { Engine } from '../../servers/engines.js';
import { connectionOptions } from '../../support/connection-options.js';
import { DashboardApplication } from '../../support/dashboard.js';
import type { ApplicationDatabase } from '../../support/database.js';
import { EventStream } from '../../support/event-stream.js';
import type { Metrics, Task } from '../client/task.js';
import { costOf } from '../process-cost.js';
import { median } from '../statistics.js';
import { type BrowsedTables, openBrowsedTables } from './browsed-tables.js';
import { numberJob } from './queue-database.js';

/** Calls of each that are not counted. */
const WARM_UP = 3;
const SCHEDULES = 1_000;
/** A search of all states takes up to 2 s by design. */
const WITHOUT_LIMIT = new Set(['searchJobs']);
const STATES = ['waiting', 'scheduled', 'ready', 'running', 'succeeded', 'failed', 'cancelled'];
const DAY = 24 * 3_600_000;

/** The requests: the name of the operation, a word for each request and its path below `api/`. */
type Requests = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The document that the API describes itself with, as far as it is read here. */
interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly operationId: string } }>>;
}

/**
 * The time of each page's requests with large tables, over HTTP: every GET of the API by its own description. Includes
 * searches by each filter, among them those that find nothing and have to read the most, and pages deep in a list.
 * Reports the CPU time of a call beside the time, of the server and of this process, which is both application and
 * client. On an idle machine the two hardly differ; on a busy one the CPU time stays the same.
 */
export async function browsing(task: Task): Promise<Metrics> {
  const tables = await openBrowsedTables(task);
  const app = await DashboardApplication.start(databaseOf(task), { queue: { retention: false } });
  for (let number = 0; number < SCHEDULES; number++) {
    await app.queue().recurring.set(`nightly-${number}`, numberJob, number, { cron: '0 3 * * *' });
  }
  const requests = requestsOf(tables);
  await assertComplete(app, requests);
  const metrics: Record<string, number> = {};
  let slowest = 0;
  let largest = 0;
  for (const [operation, each] of Object.entries(requests)) {
    for (const [word, path] of Object.entries(each)) {
      const url = `${app.url}/queues/api/${path}`;
      const { times, cpu, bytes } = await timesOf(
        task,
        () => (operation === 'live' ? firstEvent(url) : answer(url)),
        () => readAnew(app),
      );
      const name = `browsing, ${operation}${word && ` ${word}`}`;
      metrics[`${name} p50 ms`] = median(times);
      metrics[`${name} worst ms`] = Math.max(...times);
      metrics[`${name} CPU ms`] = cpu;
      metrics[`${name} kB`] = bytes / 1_000;
      slowest = Math.max(slowest, WITHOUT_LIMIT.has(operation) ? 0 : median(times));
      largest = Math.max(largest, bytes / 1_000);
    }
  }
  await app.close();
  await tables.dataSource.destroy();
  return { ...metrics, 'browsing, slowest p50 ms': slowest, 'browsing, largest kB': largest };
}

/** A task's database, as applications of the tests are given one. */
export function databaseOf({ url, ground }: Task): ApplicationDatabase {
  const engine = ground as Engine;
  return { engine, options: (extra) => ({ ...connectionOptions(engine, url), ...extra }) };
}

function requestsOf({ halfWay, ids, group }: BrowsedTables): Requests {
  const list = (filter: Readonly<Record<string, string>>) => `jobs?${new URLSearchParams(filter).toString()}`;
  const searches = (state: string): Record<string, string> => ({
    [state]: list({ state }),
    [`${state} by queue`]: list({ state, queue: 'queue-1' }),
    [`${state} by name`]: list({ state, name: 'job-1' }),
    [`${state} by key`]: list({ state, key: 'customer:all' }),
    [`${state} by tenant`]: list({ state, tenant: 'tenant-7' }),
    [`${state} by time`]: list({ state, from: String(Date.now() - 5 * DAY), to: String(Date.now() - 3 * DAY) }),
    [`${state} by all`]: list({ state, queue: 'queue-3', name: 'job-1', tenant: 'tenant-7' }),
    [`${state} of a rare name`]: list({ state, name: 'rare' }),
    [`${state} of no queue`]: list({ state, queue: 'none' }),
    [`${state} of no name`]: list({ state, name: 'none' }),
    [`${state} of no key`]: list({ state, key: 'none' }),
    [`${state} of no tenant`]: list({ state, tenant: 'none' }),
    [`${state} of no tenant of a queue`]: list({ state, tenant: 'none', queue: 'queue-1' }),
    [`${state} of a time without`]: list({
      state,
      from: String(Date.now() - 900 * DAY),
      to: String(Date.now() - 800 * DAY),
    }),
    [`${state} of a key, not its name`]: list({ state, key: 'customer:all', name: 'none' }),
  });
  return {
    me: { '': 'me' },
    overview: { '': 'overview' },
    series: { hour: 'series?span=hour', day: 'series?span=day', 'day of a queue': 'series?span=day&queue=queue-1' },
    listQueues: {
      '': 'queues',
      'by name': 'queues?contains=queue-1',
      'most ready jobs': 'queues?sort=ready&descending=true',
      'in trouble': 'queues?trouble=true',
    },
    listQueueNames: { '': 'queue-names' },
    showQueue: { '': 'queues/queue-1' },
    listJobs: {
      ...Object.fromEntries(STATES.flatMap((state) => Object.entries(searches(state)))),
      'ready, half-way': list({ state: 'ready', cursor: halfWay.ready }),
      'ready of no name, half-way': list({ state: 'ready', name: 'none', cursor: halfWay.ready }),
      'succeeded, half-way': list({ state: 'succeeded', cursor: halfWay.succeeded }),
      'succeeded of no name, half-way': list({ state: 'succeeded', name: 'none', cursor: halfWay.succeeded }),
      'failed, half-way': list({ state: 'failed', cursor: halfWay.failed }),
      'succeeded by key, half-way': list({ state: 'succeeded', key: 'customer:all', cursor: halfWay.key }),
      'failed by error': list({ state: 'failed', error: '503' }),
      'failed by a rare error': list({ state: 'failed', error: 'rare' }),
      'failed by no error': list({ state: 'failed', error: 'none' }),
      'failed by no error, half-way': list({ state: 'failed', error: 'none', cursor: halfWay.failed }),
      'failed by no error of a queue': list({ state: 'failed', error: 'none', queue: 'queue-0' }),
    },
    countByKey: { '': 'jobs/states?key=customer:all', 'of a queue': 'jobs/states?key=customer:all&queue=queue-1' },
    showJob: Object.fromEntries(Object.entries(ids).map(([state, id]) => [state, `jobs/${id}`])),
    showLog: { '': `jobs/${ids.logged}/log` },
    showGraph: { 'of a member': `jobs/${ids.grouped}/graph` },
    listMembers: { '': `groups/${group}/members?outcome=succeeded` },
    listBlockedKeys: { '': 'jobs/blocked-keys' },
    listFailures: { '': 'jobs/failures' },
    searchJobs: { 'a name': 'jobs/search?text=job-1', nothing: 'jobs/search?text=none' },
    listBulk: { '': 'jobs/bulk' },
    listSubscriptions: { '': 'events/subscriptions' },
    listWorkers: { '': 'workers' },
    listSchedules: { '': 'schedules', 'by name': 'schedules?contains=99' },
    doctor: { '': 'doctor' },
    listAudit: { '': 'audit' },
    openapi: { '': 'openapi.json' },
    live: { '': 'live' },
  };
}

/** @throws when the API has a GET that is not measured, or does not have one that is. */
async function assertComplete(app: DashboardApplication, requests: Requests): Promise<void> {
  const { paths } = await app.read<Description>('openapi.json');
  const described = Object.values(paths).flatMap(({ get }) => get?.operationId ?? []);
  const measured = Object.keys(requests);
  const wrong = [...described, ...measured].filter((name) => !(described.includes(name) && measured.includes(name)));
  if (wrong.length > 0) {
    throw new Error(`Of the API and what is measured, only one knows: ${wrong.join(', ')}`);
  }
}

/**
 * What calls of a request take, one after another.
 *
 * @param prepare what is done before each, and not counted.
 */
async function timesOf(
  task: Task,
  call: () => Promise<number>,
  prepare: () => Promise<void>,
): Promise<{ times: number[]; cpu: number; bytes: number }> {
  for (let number = 0; number < WARM_UP; number++) {
    await prepare();
    await call();
  }
  const prepared = await cpuOf(task, prepare);
  const times: number[] = [];
  let bytes = 0;
  const all = await cpuOf(task, async () => {
    await prepare();
    const since = performance.now();
    bytes = await call();
    times.push(performance.now() - since);
  });
  return { times, cpu: all - prepared, bytes };
}

/** The CPU time that something takes each time, of the server and of this process, in ms. */
async function cpuOf({ serverProcess, counts: { calls } }: Task, act: () => Promise<void>): Promise<number> {
  const server = costOf(serverProcess)?.cpu ?? NaN;
  const own = process.cpuUsage();
  for (let number = 0; number < calls; number++) {
    await act();
  }
  const { user, system } = process.cpuUsage(own);
  return ((user + system) / 1000 + (costOf(serverProcess)?.cpu ?? NaN) - server) / calls;
}

/** Has the dashboard forget what it has read for all who ask within a second: by a change, here of nothing. */
async function readAnew({ url }: DashboardApplication): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-tablequeue-dashboard': '1' };
  const response = await fetch(`${url}/queues/api/schedules/none/run`, { method: 'POST', headers, body: '{}' });
  await response.text();
}

/** @returns how many bytes the answer has, before compression. */
async function answer(url: string): Promise<number> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) {
    throw new Error(`${url}: ${response.status} ${text}`);
  }
  return Buffer.byteLength(text);
}

async function firstEvent(url: string): Promise<number> {
  const stream = await EventStream.open(url);
  const event = await stream.next();
  stream.close();
  return Buffer.byteLength(JSON.stringify(event));
}
