import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { TableQueue } from '@tablequeue/typeorm';
import { closeWithin } from '@tablequeue/typeorm/internal';
import type { DataSource } from 'typeorm';

import { ANSWER_TIMEOUT, answered } from '../answered.js';
import type { ClientPorts } from '../connections.js';
import { NoAnswerError } from '../errors.js';
import type { UnsettledState } from '../evidence/gathered-evidence.js';
import { gatherEvidence } from '../evidence/gather-evidence.js';
import { ServerHeartbeat } from '../evidence/server-heartbeat.js';
import { FaultPlan, type SharedContext, createFaultContext } from '../faults/fault-plan.js';
import type { Fault } from '../faults/fault.js';
import { InjectedFaults } from '../faults/injected-faults.js';
import type { ServerControl } from '../faults/server-control.js';
import { readJournals } from '../journal/read-journals.js';
import type { ResolvedOptions } from '../options.js';
import { ProcessPool } from '../processes/process-pool.js';
import { createDataSource } from '../processes/run-process.js';
import type { FaultProxy } from '../proxy/fault-proxy.js';
import { throughProxy } from '../proxy/proxied-options.js';
import { Random } from '../random.js';
import { type Verdict, createVerdict } from '../verdict/verdict.js';
import { TICK_INTERVAL, tickJob } from '../workload/definitions.js';
import { setLimits } from '../workload/limits.js';
import { VerifyTables } from '../workload/verify-tables.js';
import { runLoad, stopProcesses, waitUntilEmpty, waitUntilSubscribed } from './phases.js';
import { runJobsAhead, waitUntilSettled } from './settle.js';

/** The concurrency of a worker for each queue: a minimum, and one for so many jobs enqueued in a second. */
const CONCURRENCY = { least: 6, rate: 20 } as const;

/** When a subscription is registered that gets earlier events too: a share of the load, and at most so many ms. */
const SUBSCRIBE_AFTER = { share: 0.4, most: 10_000 } as const;

/** What a run works with. */
export interface RunContext {
  readonly options: ResolvedOptions;
  /** The folder of the journals and logs. */
  readonly folder: string;
  /** The proxy between the processes and the server. The run itself connects without it. */
  readonly proxy: FaultProxy | undefined;
  /** The ports of this process: of the run, its proxy and its faults. */
  readonly ownPorts: ClientPorts;
  readonly faults: readonly Fault[];
  readonly server: ServerControl | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What is known when all jobs have ended. */
interface Phases {
  /** The times without a commit. */
  readonly stalls: ServerHeartbeat['stalls'];
  readonly unsettled: readonly UnsettledState[];
}

/** One run, from the creation of its tables to the verdict. */
export class VerifyRun {
  private readonly tables = new VerifyTables(`tqv_${randomBytes(4).toString('hex')}_`);
  private readonly random: Random;
  private readonly injected: InjectedFaults;
  private readonly pool: ProcessPool;
  private readonly problems: string[] = [];
  private areTablesDropped = false;

  constructor(private readonly context: RunContext) {
    const { options, folder, proxy } = context;
    const { lease, rate, producers, durationMs, connection: direct } = options;
    this.random = new Random(options.seed);
    this.injected = new InjectedFaults(join(folder, 'faults.jsonl'));
    const connection = proxy ? { ...direct, options: throughProxy(direct.options, proxy.url) } : direct;
    const concurrency = Math.max(CONCURRENCY.least, Math.ceil(rate / CONCURRENCY.rate));
    const subscribeAfter = Math.min(SUBSCRIBE_AFTER.most, durationMs * SUBSCRIBE_AFTER.share);
    const { prefix } = this.tables;
    const common = { connection, prefix, folder, lease, concurrency, rate: rate / producers, subscribeAfter };
    this.pool = new ProcessPool(common, options, () => this.random.integer(0, 2 ** 32 - 1), options.imports);
  }

  async run(): Promise<Verdict> {
    const { options, folder, proxy, ownPorts } = this.context;
    const { lease, onProgress, seed } = options;
    const dataSource = createDataSource(options.connection, this.tables);
    await dataSource.initialize();
    try {
      const queue = await this.createTables(dataSource);
      onProgress(`seed ${seed}, tables ${this.tables.prefix}*`);
      const { stalls, unsettled } = await this.runPhases(dataSource, queue);
      const processes = await stopProcesses(this.pool, dataSource, ownPorts, proxy);
      const evidence = await gatherEvidence(dataSource, {
        entries: readJournals(folder),
        faults: this.injected.all,
        processes,
        problems: this.problems,
        unsettled,
        stalls,
        lease,
      });
      await this.dropTables(dataSource);
      return createVerdict(evidence, options);
    } finally {
      await this.pool.kill();
      await this.dropTables(dataSource);
      await closeWithin(dataSource, ANSWER_TIMEOUT);
    }
  }

  /** Runs the load with its faults, and waits until all jobs have ended and the queue has healed itself. */
  private async runPhases(dataSource: DataSource, queue: TableQueue): Promise<Phases> {
    const { options, proxy, server, faults, signal } = this.context;
    const { database, lease, durationMs } = options;
    const connect = () => createDataSource(options.connection, this.tables, { poolSize: 1 }).initialize();
    const shared: SharedContext = {
      processes: this.pool,
      database,
      lease,
      proxy,
      server,
      tables: this.tables,
      connect,
    };
    const contextFor = (fault: Fault) => createFaultContext(fault, shared, this.injected);
    const heartbeat = database === 'better-sqlite3' ? undefined : new ServerHeartbeat(await connect(), lease / 4);
    let unsettled: UnsettledState[] = [];
    try {
      await this.pool.start();
      signal?.throwIfAborted();
      const plan = new FaultPlan(faults, contextFor, this.injected, this.random.fork(), durationMs);
      await runLoad(this.pool, plan, options, this.problems, signal);
      unsettled = await this.waitUntilQuiet(dataSource, queue);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) {
        throw error;
      }
      this.problems.push(error.message);
    } finally {
      await heartbeat?.stop();
    }
    return { stalls: heartbeat?.stalls ?? [], unsettled };
  }

  /** Waits until all jobs have ended and the queue has healed itself. @throws NoAnswerError */
  private async waitUntilQuiet(dataSource: DataSource, queue: TableQueue): Promise<UnsettledState[]> {
    const { options, signal } = this.context;
    await waitUntilSubscribed(dataSource, options, signal);
    const isClockSuspect = this.injected.all.some(({ allows }) => allows.includes('clock'));
    await waitUntilEmpty(dataSource, options, signal, async () => {
      if (isClockSuspect) {
        await runJobsAhead(dataSource, queue);
      }
    });
    return waitUntilSettled(dataSource, queue, options, signal);
  }

  private async createTables(dataSource: DataSource): Promise<TableQueue> {
    const queryRunner = dataSource.createQueryRunner();
    try {
      await this.tables.create(queryRunner);
    } finally {
      await queryRunner.release();
    }
    const queue = new TableQueue(dataSource);
    await setLimits(queue, this.pool.producers);
    await queue.recurring.set('ticks', tickJob, undefined, { every: TICK_INTERVAL });
    return queue;
  }

  /** Tries once. A database that is unavailable by then must not hide the verdict, or the error of the run. */
  private async dropTables(dataSource: DataSource): Promise<void> {
    if (this.areTablesDropped) {
      return;
    }
    this.areTablesDropped = true;
    const queryRunner = dataSource.createQueryRunner();
    try {
      await answered('drop the tables', () => this.tables.drop(queryRunner));
    } catch (error) {
      const problem = `The tables ${this.tables.prefix}* could not be dropped: ${String(error)}`;
      this.problems.push(problem);
      this.context.options.onProgress(problem);
    } finally {
      await queryRunner.release();
    }
  }
}
