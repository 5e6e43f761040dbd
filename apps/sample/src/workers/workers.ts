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

/** A worker process of this shop. */
export interface Worker {
  readonly name: string;
  readonly process: ChildProcess;
}

/** A worker that was killed, and the ids of the jobs it was at. */
export interface Killed {
  readonly name: string;
  readonly jobs: readonly string[];
}

/** Starts worker processes, replaces those that die, kills one on request, and leaves none behind. */
@Injectable()
export class Workers implements OnModuleDestroy {
  /** The last one first. */
  readonly killed: Killed[] = [];
  private readonly logger = new Logger('Workers');
  private readonly alive = new Map<string, Worker>();
  private started = 0;
  private wanted = 0;

  constructor(private readonly queue: TableQueue) {}

  /** Those that have not ended. */
  list(): Worker[] {
    return [...this.alive.values()];
  }

  /** Starts workers until there are so many, or tells the newest to end: they hand back what they are at. */
  scale(wanted: number): void {
    this.wanted = wanted;
    this.list()
      .slice(wanted)
      .forEach(({ process }) => process.kill('SIGTERM'));
    while (this.alive.size < wanted) {
      this.start();
    }
  }

  /** As a crash, or the kernel when memory runs out, would: the process gets no chance to tell anybody. */
  async kill(name: string): Promise<void> {
    const worker = this.alive.get(name);
    if (!worker) {
      throw new NotFoundException(`There is no ${name}.`);
    }
    const exit = once(worker.process, 'exit');
    worker.process.kill('SIGKILL');
    await exit;
    // What it was at is still its own: nobody knows yet that it is dead.
    const rows = await this.queue.activity.workers();
    const row = rows.find(({ host, pid }) => host === hostname() && pid === worker.process.pid);
    this.killed.unshift({ name, jobs: row?.running.map(({ id }) => id) ?? [] });
    if (this.killed.length > REMEMBERED) {
      // Those that were idle have nothing to be seen of.
      const idle = this.killed.findLastIndex(({ jobs }) => jobs.length === 0);
      this.killed.splice(idle === -1 ? REMEMBERED : idle, 1);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.wanted = 0;
    await Promise.all(this.list().map(({ process }) => end(process)));
  }

  private start(): void {
    const name = `worker-${++this.started}`;
    const env = { ...process.env, TABLEQUEUE_ROLE: 'worker', WORKER_NAME: name };
    const child = fork(PROGRAM, { env });
    this.alive.set(name, { name, process: child });
    this.logger.log(`${name} is process ${child.pid}`);
    child.once('exit', (code, signal) => {
      this.alive.delete(name);
      if (this.alive.size < this.wanted) {
        this.logger.warn(`${name} has ended with ${signal ?? code}. It is replaced.`);
        setTimeout(() => this.scale(this.wanted), PAUSE);
      }
    });
  }
}

async function end(process: ChildProcess): Promise<void> {
  const exit = once(process, 'exit');
  process.kill('SIGTERM');
  const timer = setTimeout(() => process.kill('SIGKILL'), PATIENCE);
  await exit;
  clearTimeout(timer);
}
