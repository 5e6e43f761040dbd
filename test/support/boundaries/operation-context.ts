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

/** A fault of a connection at a statement. */
export interface InjectedFault {
  /** The path of the statement. */
  readonly path: string;
  readonly side: 'before' | 'after';
  /** `cut`: the connection is reset. `silence`: no packet passes any more, until the client closes it. */
  readonly how: 'cut' | 'silence';
}

/** The longest that an operation may take, in ms: a worker waits 5 s for an answer, and tries again. */
export const PATIENCE = 60_000;

/** One run of an operation: its proxy, its queues and its workers. */
export class OperationContext {
  readonly logger = new RecordingLogger();
  /** The paths of the statements that were sent since `arm`, in order. */
  readonly paths: string[] = [];
  isInjected = false;
  private isArmed = false;
  private hasReadMaxima = false;
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

  static async open(bench: Workbench, name: string, fault: InjectedFault | undefined): Promise<OperationContext> {
    const proxy = new FaultProxy(new URL(bench.database.url));
    await proxy.open();
    const dataSource = await new DataSource(connectionOptions(bench.database.engine, proxy.url)).initialize();
    const context = new OperationContext(bench, name, proxy, dataSource, new TableQueue(dataSource));
    context.watch(fault);
    // A new queue does so in the background. It belongs to no operation.
    await waitFor('the queue reads the maximum lengths', () => context.hasReadMaxima);
    return context;
  }

  /** From now on a statement can get the fault. */
  arm(): void {
    this.isArmed = true;
  }

  /** A worker behind the proxy. It is stopped with the context. */
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

  /** Expects a worker to run one more job. */
  async expectToWork(definition: JobDefinition<void>): Promise<void> {
    const { id } = await this.bench.queue.enqueue(definition);
    await waitFor(
      'the worker runs another job',
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

  private watch(fault: InjectedFault | undefined): void {
    const paths = new StatementPaths();
    this.proxy.intercept((command) => {
      const path = paths.pathOf(command);
      this.hasReadMaxima ||= path === 'SELECT tq_queue';
      if (path === undefined || !this.isArmed) {
        return undefined;
      }
      this.paths.push(path);
      if (!fault || this.isInjected || path !== fault.path) {
        return undefined;
      }
      this.isInjected = true;
      const { connection } = command;
      if (fault.how === 'cut') {
        return { side: fault.side, act: () => connection.cut() };
      }
      return {
        side: fault.side,
        act: () => {
          connection.silence(fault.side === 'before' ? 'both' : 'to client');
          // Packets that were held then arrive, such as a COMMIT of a client that has closed the connection.
          void waitFor('the client closes the connection', () => connection.isAbandoned, PATIENCE).then(
            () => connection.heal(),
            () => undefined,
          );
        },
      };
    });
  }
}
