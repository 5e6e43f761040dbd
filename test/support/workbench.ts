import { type JobHandler, TableQueue, TableQueueJob, TableQueueWorker, type WorkerOptions } from '@tablequeue/typeorm';
import { LIVE_STATES } from '@tablequeue/typeorm/internal';
import { TestingClock } from '@tablequeue/typeorm/testing';
import { type DataSource, type EntityTarget, In, Not, type ObjectLiteral } from 'typeorm';

import type { Engine } from '../servers/engines.js';
import { type TestDatabase, createDatabase } from './database.js';
import { RecordingLogger } from './recording-logger.js';
import { waitFor } from './wait-for.js';
import { WorkerProcess, type WorkerProcessOptions } from './worker-process.js';

/** A queue on a database of its own, with what most tests need. */
export class Workbench {
  readonly clock = new TestingClock();
  readonly logger = new RecordingLogger();
  readonly queue: TableQueue;
  private readonly workers: TableQueueWorker[] = [];
  private readonly processes: WorkerProcess[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly dataSource: DataSource,
  ) {
    this.queue = new TableQueue(dataSource, { clock: this.clock });
  }

  /** @param server another one than that of the run. */
  static async open(engine: Engine, server?: string): Promise<Workbench> {
    const database = await createDatabase(engine, server);
    return Workbench.on(database, await database.connect());
  }

  /** On a connected data source of a database that has the tables. */
  static on(database: TestDatabase, dataSource: DataSource): Workbench {
    return new Workbench(database, dataSource);
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await Promise.all(this.processes.map(({ child }) => child.end('SIGKILL')));
    await this.database.drop();
  }

  /** Back to empty tables and no workers. */
  async reset(): Promise<void> {
    await this.stopWorkers();
    for (const table of [...this.dataSource.entityMetadatas.map(({ tableName }) => tableName), 'run']) {
      await this.dataSource.query(`DELETE FROM ${table}`);
    }
    this.logger.lines.length = 0;
  }

  /** A worker in a process of its own; it is killed with the workbench. */
  async startProcess(
    options: WorkerProcessOptions = {},
    environment: Record<string, string> = {},
  ): Promise<WorkerProcess> {
    const worker = WorkerProcess.spawn(this.database, options, environment);
    this.processes.push(worker);
    await worker.started();
    return worker;
  }

  /** A started worker; it is stopped with the workbench. */
  async work(
    handlers: readonly JobHandler[],
    options: WorkerOptions = {},
    queue: TableQueue = this.queue,
  ): Promise<TableQueueWorker> {
    const worker = this.worker(handlers, options, queue);
    await worker.start();
    return worker;
  }

  /** A worker that is not started. */
  worker(
    handlers: readonly JobHandler[],
    options: WorkerOptions = {},
    queue: TableQueue = this.queue,
  ): TableQueueWorker {
    const worker = new TableQueueWorker(queue, handlers, {
      logger: this.logger,
      pollInterval: '50ms',
      shutdownTimeout: '10s',
      // Tests decide when.
      maintenance: false,
      ...options,
    });
    this.workers.push(worker);
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.stop()));
  }

  /** The rows of a table, as the entity has them. */
  rows<T extends ObjectLiteral>(entity: EntityTarget<T>): Promise<T[]> {
    return this.dataSource.getRepository(entity).find();
  }

  liveJobs(): Promise<TableQueueJob[]> {
    return this.jobs.findBy({ state: In(LIVE_STATES) });
  }

  finishedJobs(): Promise<TableQueueJob[]> {
    return this.jobs.findBy({ state: Not(In(LIVE_STATES)) });
  }

  /** Whether no job is live. Cheaper than `liveJobs`, for conditions that are checked many times. */
  async isEmpty(): Promise<boolean> {
    return !(await this.jobs.existsBy({ state: In(LIVE_STATES) }));
  }

  countFinished(): Promise<number> {
    return this.jobs.countBy({ state: Not(In(LIVE_STATES)) });
  }

  /** Waits until so many jobs have finished. A slow machine may take its time: only a pause of all jobs is an error. */
  async waitUntilFinished(count: number): Promise<void> {
    for (let finished = 0; finished < count;) {
      const before = finished;
      finished = await waitFor(`more than ${before} of ${count} jobs have finished`, async () => {
        const now = await this.countFinished();
        return now > before && now;
      });
    }
  }

  private get jobs() {
    return this.dataSource.getRepository(TableQueueJob);
  }

  /** Waits until a job has reached a state. */
  async untilJobIs(id: string, state: string) {
    return waitFor(`job ${id} is ${state}`, async () => {
      const job = await this.queue.find(id);
      return job?.state === state && job;
    });
  }
}
