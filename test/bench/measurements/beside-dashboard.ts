import 'reflect-metadata';

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
const CONCURRENCY = 800;
/** Without, with, with, without: what changes evenly over time then touches both alike. */
const TURNS = [false, true, true, false];
const ROUNDS = 3;

let left = Infinity;
let drained = (): void => undefined;

@Injectable()
class Handlers {
  @QueueHandler(numberJob)
  handle(): void {
    if (--left === 0) {
      drained();
    }
  }
}

/** Jobs a second, and what each takes, in ms of CPU time of the application and the server. */
interface Drained {
  readonly jobs: number;
  readonly cpu: number;
}

/**
 * Processes one queue beside large tables, in an application that has the dashboard too. Compares the speed while a
 * page is open with the speed without. The page stays open for two turns in a row: opening costs it more than staying
 * open.
 */
export async function besideDashboard(task: Task): Promise<Metrics> {
  const { dataSource } = await openBrowsedTables(task);
  const page = await startPaused(task);
  const rounds: { with: Drained; without: Drained }[] = [];
  // Before anything is counted: connections are opened and code is compiled.
  const warmUp = drain(task);
  await page.resume();
  await warmUp;
  let wasOpen = false;
  while (rounds.length < ROUNDS) {
    const all: { isOpen: boolean; drained: Drained }[] = [];
    for (const isOpen of TURNS) {
      if (isOpen !== wasOpen) {
        page.child.send(isOpen ? 'open' : 'close');
        wasOpen = isOpen;
      }
      all.push({ isOpen, drained: await drain(task) });
    }
    const meanOf = (isOpen: boolean) => mean(all.filter((each) => each.isOpen === isOpen).map((each) => each.drained));
    rounds.push({ with: meanOf(true), without: meanOf(false) });
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
  };
}

interface Page {
  readonly app: DashboardApplication;
  readonly child: ChildProcess;
  readonly resume: () => Promise<void>;
}

/** Stores all jobs; none has run yet. */
async function startPaused(task: Task): Promise<Page> {
  const app = await DashboardApplication.start(databaseOf(task), {
    providers: [Handlers],
    queue: { retention: false, concurrency: CONCURRENCY },
  });
  const queue = app.queue();
  await queue.control.pause(numberJob.queue);
  // With those of the warm-up, and as many for all that are run between two turns.
  await storeNumbers(queue, task.counts.beside * (ROUNDS * TURNS.length + 2));
  const child = ChildProcess.start(PAGE, { API: `${app.url}/queues/api` });
  await child.nextMessage();
  return { app, child, resume: () => queue.control.resume(numberJob.queue) };
}

/** Until so many jobs more have been run. */
async function drain({ serverProcess, counts }: Task): Promise<Drained> {
  const [own, server] = [process.cpuUsage(), costOf(serverProcess)?.cpu ?? NaN];
  const since = performance.now();
  await new Promise<void>((resolve) => {
    left = counts.beside;
    drained = resolve;
  });
  const elapsed = performance.now() - since;
  const { user, system } = process.cpuUsage(own);
  const cpu = (user + system) / 1000 + (costOf(serverProcess)?.cpu ?? NaN) - server;
  return { jobs: (counts.beside / elapsed) * 1000, cpu: cpu / counts.beside };
}

function mean(all: readonly Drained[]): Drained {
  const of = (figure: (each: Drained) => number) => all.reduce((sum, each) => sum + figure(each), 0) / all.length;
  return { jobs: of(({ jobs }) => jobs), cpu: of(({ cpu }) => cpu) };
}
