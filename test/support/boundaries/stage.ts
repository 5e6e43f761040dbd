import {
  type JobDefinition,
  type JobHandler,
  TableQueue,
  TableQueueWorker,
  type WorkerOptions,
} from '@tablequeue/typeorm';
import { FaultProxy } from '@tablequeue/verify/internal';
import { DataSource } from 'typeorm';

import { connectionOptions } from '../connection-options.js';
import { RecordingLogger } from '../recording-logger.js';
import { waitFor } from '../wait-for.js';
import type { Workbench } from '../workbench.js';
import { StatementPaths } from './statement-paths.js';

/** What is done to a connection at a statement. */
export interface Blow {
  /** Which statement: its path. */
  readonly path: string;
  readonly side: 'before' | 'after';
  /** `cut`: it is reset. `silence`: no packet passes any more, until its client has given it up. */
  readonly how: 'cut' | 'silence';
}

/** The longest that any of this lasts, in ms: a worker waits 5 s for an answer, and tries again. */
export const PATIENCE = 60_000;

/** One run of an operation behind a proxy of its own, in queues of its own. */
export class Stage {
  readonly logger = new RecordingLogger();
  /** The paths of the statements that were sent since `arm`, in order. */
  readonly paths: string[] = [];
  hasStruck = false;
  private isArmed = false;
  private readonly workers: TableQueueWorker[] = [];

  private constructor(
    /** Not behind the proxy. */
    readonly bench: Workbench,
    /** A suffix for names. */
    readonly name: string,
    readonly proxy: FaultProxy,
    readonly dataSource: DataSource,
    readonly queue: TableQueue,
  ) {}

  static async open(bench: Workbench, name: string, blow: Blow | undefined): Promise<Stage> {
    const proxy = new FaultProxy(new URL(bench.database.url));
    await proxy.open();
    const dataSource = await new DataSource(connectionOptions(bench.database.engine, proxy.url)).initialize();
    const stage = new Stage(bench, name, proxy, dataSource, new TableQueue(dataSource));
    stage.watch(blow);
    return stage;
  }

  /** From now on statements count. */
  arm(): void {
    this.isArmed = true;
  }

  /** A worker behind the proxy. It is stopped with the stage. */
  async work(handlers: readonly JobHandler[], options: WorkerOptions = {}): Promise<TableQueueWorker> {
    const worker = new TableQueueWorker(this.queue, handlers, {
      logger: this.logger,
      pollInterval: '50ms',
      maintenance: false,
      ...options,
    });
    await worker.start();
    this.workers.push(worker);
    return worker;
  }

  /** Waits until a job has reached a state. */
  async untilJobIs(id: string, state: string) {
    return waitFor(
      `job ${id} is ${state} (${this.logger.lines.join('\n')})`,
      async () => {
        const job = await this.bench.queue.find(id);
        return job?.state === state && job;
      },
      PATIENCE,
    );
  }

  /** Shows that a worker still works: one more job of a queue it has. */
  async expectToWork(definition: JobDefinition<void>): Promise<void> {
    const { id } = await this.bench.queue.enqueue(definition);
    await waitFor(
      'the worker works on',
      async () => (await this.bench.queue.find(id))?.state === 'succeeded',
      PATIENCE,
    );
  }

  /** Stops the workers. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
  }

  /** Stops everything. No connection is left then. */
  async close(): Promise<void> {
    await this.stop();
    await this.dataSource.destroy();
    this.proxy.heal();
    await waitFor('all connections are closed', () => this.proxy.connections.length === 0);
    await this.proxy.close();
  }

  private watch(blow: Blow | undefined): void {
    const paths = new StatementPaths();
    this.proxy.intercept((command) => {
      const path = paths.pathOf(command);
      if (path === undefined || !this.isArmed) {
        return undefined;
      }
      this.paths.push(path);
      if (!blow || this.hasStruck || path !== blow.path) {
        return undefined;
      }
      this.hasStruck = true;
      const { connection } = command;
      if (blow.how === 'cut') {
        return { side: blow.side, act: () => connection.cut() };
      }
      return {
        side: blow.side,
        act: () => {
          connection.silence(blow.side === 'before' ? 'both' : 'to client');
          // What is on its way then arrives: a COMMIT of a client that has long gone, for example.
          void waitFor('the client gives it up', () => connection.isAbandoned, PATIENCE).then(
            () => connection.heal(),
            () => undefined,
          );
        },
      };
    });
  }
}
