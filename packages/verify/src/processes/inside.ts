import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { ClientPorts } from '../client-ports.js';
import { DISCONNECT_TIMEOUT } from '../disconnect-timeout.js';
import { JOURNAL } from '../journal/read-journals.js';
import { Journal } from '../journal/journal.js';
import { monotonic } from '../monotonic.js';
import { BenchTables } from '../workload/bench-tables.js';
import type { Command, Connection, EndReport, Message, ProcessConfig } from './messages.js';

/** How long to wait before trying again to connect, in ms. A fault may stand in the way of a process that starts. */
const BETWEEN_TRIES = 200;
/** How often a process looks whether it has been paused, in ms. */
const HEARTBEAT = 100;

/** What the code of a role works with. */
export interface Inside {
  readonly config: ProcessConfig;
  readonly journal: Journal;
  readonly dataSource: DataSource;
  readonly queue: TableQueue;
}

/** What it leaves running. */
export interface Running {
  /** Resolves when everything is enqueued that is to be enqueued; undefined in a process that enqueues nothing. */
  readonly produced: Promise<unknown> | undefined;
  /** Resolves when nothing more is enqueued. */
  produceNoMore(): Promise<void>;
  /** Stops everything, in order. */
  stop(): Promise<void>;
}

/** Connects as the bench does. */
export function dataSourceOf({ options, driver }: Connection, tables: BenchTables, extra: object = {}): DataSource {
  const { type } = options as { readonly type: 'mysql' };
  return new DataSource({
    ...options,
    ...(driver !== undefined && { driver: createRequire(import.meta.url)(driver) as unknown }),
    entities: tables.entities(type),
    ...extra,
  });
}

/** Runs the code of a role in this process, for as long as the bench wants it. */
export async function runInside(begin: (inside: Inside) => Promise<Running>): Promise<void> {
  const ports = new ClientPorts();
  const commands = listen();
  // Only now: whoever listens keeps the channel to the bench open.
  const atStart = process.getActiveResourcesInfo();
  // However the bench has come to its end, nothing of it outlives it.
  process.once('disconnect', () => process.exit(1));

  const config = await commands.config;
  const journal = new Journal(join(config.folder, `${config.name}${JOURNAL}`));
  const { dataSource, running } = await untilItWorks(config, journal, begin);
  journal.note({ act: 'ready', pid: process.pid });
  notePauses(journal, config.lease / 4);
  send({ tell: 'ready' });

  void running.produced?.then(() => send({ tell: 'quiet' }));
  let before: number | undefined;
  commands.on((command) => {
    if (command.tell === 'produce no more') {
      void running.produceNoMore();
    } else if (command.tell === 'block') {
      block(command.ms);
    } else if (command.tell === 'measure') {
      before = heap();
    }
  });
  await commands.finish;
  await running.produceNoMore();
  const report: Pick<EndReport, 'heap'> = { heap: before === undefined ? undefined : { before, after: heap() } };
  await running.stop();
  // A connection that is cut while it says good-bye is closed as well; what is not, is found.
  await dataSource.destroy().catch(() => undefined);
  send({ tell: 'report', report: { ...report, ports: [...ports.all], left: await whatIsLeft(atStart) } });
  process.exit();
}

async function untilItWorks(config: ProcessConfig, journal: Journal, begin: (inside: Inside) => Promise<Running>) {
  for (;;) {
    const dataSource = dataSourceOf(config.connection, new BenchTables(config.prefix));
    try {
      await dataSource.initialize();
      const queue = new TableQueue(dataSource, { outsideTransaction: 'allow' });
      return { dataSource, running: await begin({ config, journal, dataSource, queue }) };
    } catch (error) {
      console.warn(`It cannot begin yet: ${String(error)}`);
      if (dataSource.isInitialized) {
        await dataSource.destroy();
      }
      await sleep(BETWEEN_TRIES);
    }
  }
}

function listen() {
  const listeners: ((command: Command) => void)[] = [];
  process.on('message', (command: Command) => listeners.forEach((listener) => listener(command)));
  const once = <Name extends Command['tell']>(name: Name) =>
    new Promise<Extract<Command, { tell: Name }>>((resolve) => {
      listeners.push((command) => command.tell === name && resolve(command as Extract<Command, { tell: Name }>));
    });
  return {
    config: once('config').then(({ config }) => config),
    finish: once('finish'),
    on: (listener: (command: Command) => void) => void listeners.push(listener),
  };
}

function send(message: Message): void {
  process.send?.(message);
}

/** Holds the event loop by the clock that nobody sets. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    // Nothing: that is the fault.
  }
}

/** Notes when a timer comes late by more than that, in ms: a machine without room is to be told from a bug. */
function notePauses(journal: Journal, least: number): void {
  let last = monotonic();
  setInterval(() => {
    const now = monotonic();
    if (now - last - HEARTBEAT > least) {
      journal.note({ act: 'paused', ms: now - last });
    }
    last = now;
  }, HEARTBEAT).unref();
}

/** Objects, and the contents of buffers, which are not among them. */
function heap(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What keeps the process alive and did not at its start. Handles that were closed take a moment to be gone. */
async function whatIsLeft(atStart: readonly string[]): Promise<string[]> {
  const since = performance.now();
  for (;;) {
    const left = process.getActiveResourcesInfo();
    for (const name of atStart) {
      const index = left.indexOf(name);
      if (index >= 0) {
        left.splice(index, 1);
      }
    }
    if (left.length === 0 || performance.now() - since > DISCONNECT_TIMEOUT) {
      return left;
    }
    await sleep(20);
  }
}
