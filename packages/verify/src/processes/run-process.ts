import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue } from '@tablequeue/typeorm';
import { DataSource } from 'typeorm';

import { ClientPorts, DISCONNECT_TIMEOUT } from '../connections.js';
import { Journal } from '../journal/journal.js';
import { JOURNAL_EXTENSION } from '../journal/read-journals.js';
import { monotonic } from '../timing.js';
import { VerifyTables } from '../workload/verify-tables.js';
import type { Command, Connection, ExitReport, Message, ProcessConfig } from './messages.js';

/** How long to wait before connecting again, in ms. A fault may prevent a new process from connecting. */
const RETRY_DELAY = 200;
/** How often a process checks whether it was paused, in ms. */
const HEARTBEAT = 100;

/** What the code of a role works with. */
export interface ProcessContext {
  readonly config: ProcessConfig;
  readonly journal: Journal;
  readonly dataSource: DataSource;
  readonly queue: TableQueue;
}

/** The control of a role that has started. */
export interface RunningRole {
  /** Resolves when all jobs are enqueued. Undefined in a process that enqueues none. */
  readonly producing: Promise<unknown> | undefined;
  /** Resolves when nothing more is enqueued. */
  stopProducing(): Promise<void>;
  /** Stops everything, in order. */
  stop(): Promise<void>;
}

export function createDataSource(
  { options, driver }: Connection,
  tables: VerifyTables,
  extra: object = {},
): DataSource {
  const { type } = options as { readonly type: 'mysql' };
  return new DataSource({
    ...options,
    // TypeORM 0.3 warns about a driver without the name of its package.
    ...(driver !== undefined && {
      driver: createRequire(import.meta.url)(driver) as unknown,
      connectorPackage: 'mysql2',
    }),
    entities: tables.entities(type),
    ...extra,
  });
}

/** Runs the code of a role in this process until verify asks it to stop. */
export async function runProcess(startRole: (context: ProcessContext) => Promise<RunningRole>): Promise<void> {
  const ports = new ClientPorts();
  const commands = listenForCommands();
  // After the listener was added: it keeps the channel to the parent open.
  const resourcesAtStart = process.getActiveResourcesInfo();
  // The process must not outlive its parent.
  process.once('disconnect', () => process.exit(1));

  const config = await commands.config;
  const journal = new Journal(join(config.folder, `${config.name}${JOURNAL_EXTENSION}`));
  // Before the worker starts: it may lose its lease while the machine has no CPU for it.
  recordPauses(journal, config.lease / 4);
  const { dataSource, role } = await connectAndStart(config, journal, startRole);
  journal.write({ event: 'ready', pid: process.pid });
  send({ type: 'ready' });

  void role.producing?.then(() => send({ type: 'done-producing' }));
  let before: number | undefined;
  commands.onCommand((command) => {
    if (command.type === 'stop-producing') {
      void role.stopProducing();
    } else if (command.type === 'block') {
      blockEventLoop(command.ms);
    } else if (command.type === 'measure-heap') {
      before = measureHeap();
    }
  });
  await commands.stop;
  await role.stopProducing();
  const report: Pick<ExitReport, 'heap'> = {
    heap: before === undefined ? undefined : { before, after: measureHeap() },
  };
  await role.stop();
  await close(dataSource);
  const openResources = await findOpenResources(resourcesAtStart);
  send({ type: 'report', report: { ...report, ports: [...ports.all], openResources } });
  process.exit();
}

async function connectAndStart(
  config: ProcessConfig,
  journal: Journal,
  startRole: (context: ProcessContext) => Promise<RunningRole>,
) {
  for (;;) {
    const dataSource = createDataSource(config.connection, new VerifyTables(config.prefix));
    try {
      await dataSource.initialize();
      const queue = new TableQueue(dataSource, { outsideTransaction: 'allow' });
      return { dataSource, role: await startRole({ config, journal, dataSource, queue }) };
    } catch (error) {
      console.warn(`The process cannot start yet: ${String(error)}`);
      if (dataSource.isInitialized) {
        await close(dataSource);
      }
      await sleep(RETRY_DELAY);
    }
  }
}

/** A connection that is cut during its last message is closed as well. The report contains what is still open. */
async function close(dataSource: DataSource): Promise<void> {
  await dataSource.destroy().catch(() => undefined);
}

function listenForCommands() {
  const listeners: ((command: Command) => void)[] = [];
  process.on('message', (command: Command) => listeners.forEach((listener) => listener(command)));
  const once = <Type extends Command['type']>(type: Type) =>
    new Promise<Extract<Command, { type: Type }>>((resolve) => {
      listeners.push((command) => command.type === type && resolve(command as Extract<Command, { type: Type }>));
    });
  return {
    config: once('config').then(({ config }) => config),
    stop: once('stop'),
    onCommand: (listener: (command: Command) => void) => void listeners.push(listener),
  };
}

function send(message: Message): void {
  process.send?.(message);
}

function blockEventLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    // Busy on purpose: that is the fault.
  }
}

/** Records a pause if a timer is late by more than `threshold` ms, to distinguish a machine without CPU from a bug. */
function recordPauses(journal: Journal, threshold: number): void {
  let last = monotonic();
  setInterval(() => {
    const now = monotonic();
    if (now - last - HEARTBEAT > threshold) {
      journal.write({ event: 'paused', ms: now - last });
    }
    last = now;
  }, HEARTBEAT).unref();
}

/** Includes the contents of buffers, which are not part of the heap. */
function measureHeap(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Returns what keeps the process alive and did not at its start. Closed handles disappear after a moment. */
async function findOpenResources(atStart: readonly string[]): Promise<string[]> {
  const since = performance.now();
  for (;;) {
    const open = process.getActiveResourcesInfo();
    for (const name of atStart) {
      const index = open.indexOf(name);
      if (index >= 0) {
        open.splice(index, 1);
      }
    }
    if (open.length === 0 || performance.now() - since > DISCONNECT_TIMEOUT) {
      return open;
    }
    await sleep(20);
  }
}
