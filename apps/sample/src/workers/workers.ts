import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';

import { Injectable, Logger, NotFoundException, type OnModuleDestroy } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';

const PROGRAM = fileURLToPath(new URL('../worker.js', import.meta.url));
/** How soon a dead worker is replaced, in ms. */
const RESTART_DELAY = 1_000;
/** How long a worker may take to stop, in ms. Longer than its `shutdownTimeout`. */
const STOP_TIMEOUT = 10_000;
/** The number of killed workers that are kept. */
const MOST_KILLED = 3;

/** A killed worker, and the ids of the jobs that it ran. */
export interface Killed {
  readonly name: string;
  readonly jobs: readonly string[];
}

/** Returns the name of a process on the dashboard. */
export function nameOf(pid: number): string {
  return `${hostname()} pid ${pid}`;
}

/** Starts worker processes, replaces those that die, kills one on request, and leaves none behind. */
@Injectable()
export class Workers implements OnModuleDestroy {
  /** Newest first. */
  readonly killed: Killed[] = [];
  private readonly logger = new Logger('Workers');
  private readonly alive = new Map<number, ChildProcess>();
  private wanted = 0;

  constructor(private readonly queue: TableQueue) {}

  /** Returns the process ids of the workers that have not ended. */
  list(): number[] {
    return [...this.alive.keys()];
  }

  /** Starts workers, or stops the newest ones, which return their jobs. */
  scale(wanted: number): void {
    this.wanted = wanted;
    [...this.alive.values()].slice(wanted).forEach((worker) => worker.kill('SIGTERM'));
    while (this.alive.size < wanted) {
      this.start();
    }
  }

  /** Kills a worker, as a crash or the out-of-memory killer does. */
  async kill(pid: number): Promise<void> {
    const worker = this.alive.get(pid);
    if (!worker) {
      throw new NotFoundException(`There is no worker ${nameOf(pid)}.`);
    }
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
    // Its jobs are still running in the database, because its death has not been detected yet.
    const rows = await this.queue.activity.workers({ jobs: 100 });
    const row = rows.find((each) => each.host === hostname() && each.pid === pid);
    this.killed.unshift({ name: nameOf(pid), jobs: row?.running.map(({ id }) => id) ?? [] });
    if (this.killed.length > MOST_KILLED) {
      // Idle workers first, because they had no jobs.
      const idle = this.killed.findLastIndex(({ jobs }) => jobs.length === 0);
      this.killed.splice(idle === -1 ? MOST_KILLED : idle, 1);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.wanted = 0;
    await Promise.all([...this.alive.values()].map(end));
  }

  private start(): void {
    const worker = fork(PROGRAM, { env: { ...process.env, TABLEQUEUE_ROLE: 'worker' } });
    const pid = worker.pid!;
    this.alive.set(pid, worker);
    this.logger.log(`Started a worker: ${nameOf(pid)}`);
    worker.once('exit', (code, signal) => {
      this.alive.delete(pid);
      if (this.alive.size < this.wanted) {
        this.logger.warn(`${nameOf(pid)} has ended with ${signal ?? code}. A new worker replaces it.`);
        setTimeout(() => this.scale(this.wanted), RESTART_DELAY);
      }
    });
  }
}

async function end(worker: ChildProcess): Promise<void> {
  const exit = once(worker, 'exit');
  worker.kill('SIGTERM');
  const timer = setTimeout(() => worker.kill('SIGKILL'), STOP_TIMEOUT);
  await exit;
  clearTimeout(timer);
}
