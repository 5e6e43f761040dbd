import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';

import { Injectable, Logger, NotFoundException, type OnModuleDestroy } from '@nestjs/common';
import { TableQueue } from '@tablequeue/typeorm';

const PROGRAM = fileURLToPath(new URL('../worker.js', import.meta.url));
/** How soon a worker that has ended is replaced, in ms. */
const PAUSE = 1_000;
/** How long a worker may take to end, in ms: longer than its `shutdownTimeout`. */
const PATIENCE = 10_000;
/** How many kills are remembered. */
const REMEMBERED = 3;

/** A worker that was killed, and the ids of the jobs it was at. */
export interface Killed {
  readonly name: string;
  readonly jobs: readonly string[];
}

/** What the dashboard calls a process. */
export function nameOf(pid: number): string {
  return `${hostname()} pid ${pid}`;
}

/** Starts worker processes, replaces those that die, kills one on request, and leaves none behind. */
@Injectable()
export class Workers implements OnModuleDestroy {
  /** The last one first. */
  readonly killed: Killed[] = [];
  private readonly logger = new Logger('Workers');
  private readonly alive = new Map<number, ChildProcess>();
  private wanted = 0;

  constructor(private readonly queue: TableQueue) {}

  /** The ids of those that have not ended. */
  list(): number[] {
    return [...this.alive.keys()];
  }

  /** Starts workers until there are so many, or tells the newest to end: they hand back what they are at. */
  scale(wanted: number): void {
    this.wanted = wanted;
    [...this.alive.values()].slice(wanted).forEach((worker) => worker.kill('SIGTERM'));
    while (this.alive.size < wanted) {
      this.start();
    }
  }

  /** As a crash, or the kernel when memory runs out, would: the process gets no chance to tell anybody. */
  async kill(pid: number): Promise<void> {
    const worker = this.alive.get(pid);
    if (!worker) {
      throw new NotFoundException(`There is no worker ${nameOf(pid)}.`);
    }
    const exit = once(worker, 'exit');
    worker.kill('SIGKILL');
    await exit;
    // What it was at is still its own: nobody knows yet that it is dead.
    const rows = await this.queue.activity.workers();
    const row = rows.find((each) => each.host === hostname() && each.pid === pid);
    this.killed.unshift({ name: nameOf(pid), jobs: row?.running.map(({ id }) => id) ?? [] });
    if (this.killed.length > REMEMBERED) {
      // Those that were idle have nothing to be seen of.
      const idle = this.killed.findLastIndex(({ jobs }) => jobs.length === 0);
      this.killed.splice(idle === -1 ? REMEMBERED : idle, 1);
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
    this.logger.log(`A worker is started: ${nameOf(pid)}`);
    worker.once('exit', (code, signal) => {
      this.alive.delete(pid);
      if (this.alive.size < this.wanted) {
        this.logger.warn(`${nameOf(pid)} has ended with ${signal ?? code}. It is replaced.`);
        setTimeout(() => this.scale(this.wanted), PAUSE);
      }
    });
  }
}

async function end(worker: ChildProcess): Promise<void> {
  const exit = once(worker, 'exit');
  worker.kill('SIGTERM');
  const timer = setTimeout(() => worker.kill('SIGKILL'), PATIENCE);
  await exit;
  clearTimeout(timer);
}
