import 'reflect-metadata';

import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { QueueHandler } from '@tablequeue/nestjs';

import { ChildProcess } from '../../support/child-process.js';
import { DashboardApplication } from '../../support/dashboard.js';
import type { Metrics, Task } from '../client/task.js';
import { costOf } from '../process-cost.js';
import { median } from '../statistics.js';
import { openBrowsedTables } from './browsed-tables.js';
import { databaseOf } from './browsing.js';
import { numberJob, storeNumbers } from './queue-database.js';

const PAGE = new URL('dashboard-page.js', import.meta.url);
/** As in the drain. */
const CONCURRENCY = 400;
/** In ms. The page is open for two of them in a row: opening costs it more than staying open. */
const WINDOW = 5_000;
const WARM_UP = 5_000;
/** Without, with, with, without: what changes evenly over time then touches both alike. */
const TURNS = [false, true, true, false];
const FEWEST_ROUNDS = 2;

let finished = 0;

@Injectable()
class Handlers {
  @QueueHandler(numberJob)
  handle(): void {
    finished++;
  }
}

/** What a second of draining does, and what a job of it takes, in ms of CPU time of the application and the server. */
interface Drained {
  readonly jobs: number;
  readonly cpu: number;
}

/**
 * A drain of one queue beside large tables, in an application that has the dashboard too: how fast it is while a page is
 * open against while none is, in turn, for as long as there are jobs.
 */
export async function besideDashboard(task: Task): Promise<Metrics> {
  const { dataSource } = await openBrowsedTables(task);
  const page = await startPaused(task);
  const rounds: { with: Drained; without: Drained }[] = [];
  await sleep(WARM_UP);
  let wasOpen = false;
  for (;;) {
    const windows: { isOpen: boolean; drained: Drained }[] = [];
    for (const isOpen of TURNS) {
      if (isOpen !== wasOpen) {
        page.child.send(isOpen ? 'open' : 'close');
        wasOpen = isOpen;
      }
      windows.push({ isOpen, drained: await drainedIn(task, WINDOW) });
    }
    if (finished >= task.counts.beside) {
      break;
    }
    const sum = (isOpen: boolean) => mean(windows.filter((each) => each.isOpen === isOpen).map((each) => each.drained));
    rounds.push({ with: sum(true), without: sum(false) });
  }
  if (rounds.length < FEWEST_ROUNDS) {
    throw new Error(`${task.counts.beside} jobs are done after ${rounds.length} rounds: that tells nothing.`);
  }
  await page.child.end('SIGTERM');
  await page.app.close();
  await dataSource.destroy();
  const rates = rounds.map((round) => round.with.jobs / round.without.jobs);
  const costs = rounds.map((round) => round.with.cpu / round.without.cpu);
  return {
    'drain beside a dashboard /s': median(rounds.map((round) => round.with.jobs)),
    'drain beside none /s': median(rounds.map((round) => round.without.jobs)),
    'drain beside a dashboard, to none': median(rates),
    'drain beside a dashboard, to none, lowest': Math.min(...rates),
    'drain beside a dashboard, to none, highest': Math.max(...rates),
    'drain beside a dashboard, CPU to none': median(costs),
    'drain beside a dashboard, rounds': rounds.length,
  };
}

async function startPaused(task: Task): Promise<{ app: DashboardApplication; child: ChildProcess }> {
  const app = await DashboardApplication.start(databaseOf(task), {
    providers: [Handlers],
    queue: { retention: false, concurrency: CONCURRENCY },
  });
  const queue = app.queue();
  await queue.control.pause(numberJob.queue);
  await storeNumbers(queue, task.counts.beside);
  const child = ChildProcess.start(PAGE, { API: `${app.url}/queues/api` });
  await child.nextMessage();
  await queue.control.resume(numberJob.queue);
  return { app, child };
}

async function drainedIn({ serverProcess }: Task, milliseconds: number): Promise<Drained> {
  const [jobsBefore, own, server] = [finished, process.cpuUsage(), costOf(serverProcess)?.cpu ?? NaN];
  const since = performance.now();
  await sleep(milliseconds);
  const elapsed = performance.now() - since;
  const jobs = finished - jobsBefore;
  const { user, system } = process.cpuUsage(own);
  const cpu = (user + system) / 1000 + (costOf(serverProcess)?.cpu ?? NaN) - server;
  return { jobs: (jobs / elapsed) * 1000, cpu: cpu / jobs };
}

function mean(all: readonly Drained[]): Drained {
  const of = (figure: (each: Drained) => number) => all.reduce((sum, each) => sum + figure(each), 0) / all.length;
  return { jobs: of(({ jobs }) => jobs), cpu: of(({ cpu }) => cpu) };
}
