import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { TableQueue, TableQueueJob } from '@tablequeue/typeorm';
import type { DataSource } from 'typeorm';

import { ClientPorts } from './client-ports.js';
import type { ProcessEvidence } from './evidence/evidence.js';
import { gatherEvidence } from './evidence/gather.js';
import { openPorts } from './evidence/open-ports.js';
import { ServerHeartbeat } from './evidence/server-heartbeat.js';
import type { Fault } from './faults/fault.js';
import { chooseFaults } from './faults/choose-faults.js';
import { FaultPlan, type SharedContext, contextFor } from './faults/fault-plan.js';
import { InjectedFaults } from './faults/injected-faults.js';
import { DISCONNECT_TIMEOUT } from './disconnect-timeout.js';
import { isDoneWithin } from './is-done-within.js';
import { readJournals } from './journal/read-journals.js';
import { type ResolvedOptions, type VerifyOptions, resolveOptions } from './options.js';
import { dataSourceOf } from './processes/inside.js';
import { ProcessPool } from './processes/process-pool.js';
import { FaultProxy } from './proxy/fault-proxy.js';
import { serverIn, throughProxy } from './proxy/proxied-options.js';
import { Random } from './random.js';
import { type Verdict, judge } from './verdict/verdict.js';
import { BenchTables } from './workload/bench-tables.js';
import { LIMIT, LIMITED_QUEUE, orderedQueue } from './workload/definitions.js';

/** How long live jobs may stay as many as they are, when nothing hinders them, before they are given up, in ms. */
const STALLED_AFTER = 30_000;
/** How long producers may take to come to rest, in ms: a server's own limit on a wait for a lock is 50 s. */
const QUIET_TIMEOUT = 120_000;
/** How long a process may take to stop in order, in ms. */
const STOP_TIMEOUT = 30_000;
/** After which part of the load what processes need is measured for the first time. */
const WARM_AFTER = 0.3;
/** How many jobs of a queue a worker runs at a time: at least, and one for so many that are enqueued in a second. */
const CONCURRENCY = { least: 6, rate: 20 } as const;

/**
 * Tries the queue on a database: starts producers and workers as processes of their own, lets faults strike, heals
 * everything, lets the queue drain, and checks what it promises, from the database and from what each process has noted.
 *
 * It works in tables of its own, which are dropped on every path but the death of this process; where they cannot be, it says so.
 *
 * @returns the verdict, also where promises were broken: `isGood` says so.
 * @throws InvalidOptionError, UnknownOptionError, UnknownFaultError, OptionsNotPortableError for the options.
 * @throws ProcessDidNotStartError, what keeps it from connecting or creating its tables, and the reason of `signal`.
 */
export async function verify(options: VerifyOptions): Promise<Verdict> {
  const resolved = resolveOptions(options);
  const { signal } = options;
  const target = serverIn(resolved.connection.options);
  const faults = chooseFaults(options.faults, {
    processes: true,
    connection: resolved.database !== 'better-sqlite3',
    proxy: target !== undefined,
    server: options.server !== undefined,
  });
  signal?.throwIfAborted();
  const needsProxy = faults.some(({ needs }) => needs.includes('proxy'));
  const proxy = target && needsProxy ? new FaultProxy(target) : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tablequeue-verify-'));
  const own = new ClientPorts();
  let isToBeKept = false;
  try {
    await proxy?.open();
    const bench = new Bench(resolved, folder, proxy, own);
    const verdict = await bench.run(faults, options.server, signal);
    isToBeKept = !verdict.isGood;
    return isToBeKept ? { ...verdict, journals: folder } : verdict;
  } finally {
    await proxy?.close();
    own.stop();
    if (!isToBeKept) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

class Bench {
  private readonly tables = new BenchTables(`tqv_${randomBytes(4).toString('hex')}_`);
  private readonly random: Random;
  private readonly records: InjectedFaults;
  private readonly pool: ProcessPool;
  private readonly troubles: string[] = [];
  private areTablesDropped = false;

  constructor(
    private readonly options: ResolvedOptions,
    private readonly folder: string,
    /** Between the processes and the server; what the bench itself does goes past it. */
    private readonly proxy: FaultProxy | undefined,
    /** Of the bench, its proxy and its faults. */
    private readonly own: ClientPorts,
  ) {
    this.random = new Random(options.seed);
    this.records = new InjectedFaults(join(folder, 'faults.jsonl'));
    const { lease, rate, producers } = options;
    const direct = options.connection;
    const connection = proxy ? { ...direct, options: throughProxy(direct.options, proxy.url) } : direct;
    const concurrency = Math.max(CONCURRENCY.least, Math.ceil(rate / CONCURRENCY.rate));
    const common = { connection, prefix: this.tables.prefix, folder, lease, concurrency, rate: rate / producers };
    this.pool = new ProcessPool(common, options, () => this.random.whole(0, 2 ** 32 - 1), options.imports);
  }

  async run(
    faults: ReturnType<typeof chooseFaults>,
    server: SharedContext['server'],
    signal: AbortSignal | undefined,
  ): Promise<Verdict> {
    const { database, lease, onProgress, seed } = this.options;
    const dataSource = dataSourceOf(this.options.connection, this.tables);
    await dataSource.initialize();
    try {
      await this.createTables(dataSource);
      onProgress(`seed ${seed}, tables ${this.tables.prefix}*`);
      await this.pool.start();
      signal?.throwIfAborted();
      const stage: SharedContext = {
        processes: this.pool,
        database,
        lease,
        proxy: this.proxy,
        server,
        tables: this.tables,
        connect: () => dataSourceOf(this.options.connection, this.tables, { poolSize: 1 }).initialize(),
      };
      const scene = (fault: Fault) => contextFor(fault, stage, this.records);
      const { durationMs } = this.options;
      const heartbeat =
        database === 'better-sqlite3' ? undefined : new ServerHeartbeat(await stage.connect(), lease / 4);
      try {
        await this.load(new FaultPlan(faults, scene, this.records, this.random.fork(), durationMs), signal);
        await this.drain(dataSource, signal);
      } finally {
        await heartbeat?.stop();
      }
      const processes = await this.finish(dataSource);
      const evidence = await gatherEvidence(dataSource, {
        notes: readJournals(this.folder),
        faults: this.records.all,
        processes,
        troubles: this.troubles,
        stalls: heartbeat?.stalls ?? [],
        lease,
      });
      await this.dropTables(dataSource);
      return judge(evidence, this.options);
    } finally {
      await this.pool.kill();
      await this.dropTables(dataSource);
      await dataSource.destroy();
    }
  }

  private async createTables(dataSource: DataSource): Promise<void> {
    const queryRunner = dataSource.createQueryRunner();
    try {
      await this.tables.create(queryRunner);
    } finally {
      await queryRunner.release();
    }
    const queue = new TableQueue(dataSource);
    await queue.control.limit(LIMITED_QUEUE, { concurrency: LIMIT });
    for (const producer of this.pool.producers) {
      await queue.control.limit(orderedQueue(producer), { concurrency: 1 });
    }
  }

  /** Once. A database that is away by then takes no verdict with it, and hides no error. */
  private async dropTables(dataSource: DataSource): Promise<void> {
    if (this.areTablesDropped) {
      return;
    }
    this.areTablesDropped = true;
    const queryRunner = dataSource.createQueryRunner();
    try {
      await this.tables.drop(queryRunner);
    } catch (error) {
      this.troubles.push(`The tables ${this.tables.prefix}* are still there: ${String(error)}`);
      this.options.onProgress(this.troubles.at(-1)!);
    } finally {
      await queryRunner.release();
    }
  }

  /** Jobs are enqueued, and faults strike. At the end everything is healed and nothing is enqueued any more. */
  private async load(plan: FaultPlan, signal: AbortSignal | undefined): Promise<void> {
    const { durationMs, onProgress } = this.options;
    const over = new AbortController();
    const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const faults = plan.run(ends);
    try {
      await this.untilEnqueued(durationMs * WARM_AFTER, signal);
      this.pool.tell({ tell: 'measure' });
      await this.untilEnqueued(durationMs * (1 - WARM_AFTER), signal);
    } finally {
      over.abort();
      await faults;
      this.troubles.push(...plan.troubles);
    }
    onProgress('healed');
    if (!(await isDoneWithin(QUIET_TIMEOUT, this.rest(), signal))) {
      const names = this.pool.living('producer').flatMap(({ isQuiet, name }) => (isQuiet ? [] : [name]));
      this.troubles.push(`Still enqueuing ${QUIET_TIMEOUT / 1000} s after everything was healed: ${names.join(', ')}.`);
    }
  }

  /** Nothing is enqueued any more, and what was has been answered. */
  private async rest(): Promise<void> {
    const producers = this.pool.living('producer');
    // One that has just taken the place of another does not listen before.
    await Promise.all(producers.map(({ ready }) => ready));
    this.pool.tell({ tell: 'produce no more' }, 'producer');
    await Promise.all(producers.map(({ quiet }) => quiet));
  }

  /** Waits until the time is over, or everything is enqueued. */
  private async untilEnqueued(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end && !this.pool.isQuiet) {
      signal?.throwIfAborted();
      await sleep(100);
    }
  }

  /** Waits until no job is live, or nothing happens any more. */
  private async drain(dataSource: DataSource, signal: AbortSignal | undefined): Promise<void> {
    const jobs = dataSource.getRepository(TableQueueJob);
    let left = Infinity;
    let since = performance.now();
    for (;;) {
      signal?.throwIfAborted();
      const count = await jobs.count();
      if (count === 0) {
        return;
      }
      if (count < left) {
        this.options.onProgress(`draining, ${count} jobs left`);
        [left, since] = [count, performance.now()];
      }
      if (performance.now() - since > STALLED_AFTER + 2 * this.options.lease) {
        this.options.onProgress(`${count} jobs do not come to their end`);
        return;
      }
      await sleep(100);
    }
  }

  /** Stops all processes in order, and looks at what they have left. */
  private async finish(dataSource: DataSource): Promise<ProcessEvidence[]> {
    this.pool.stopReplacing();
    const last = this.pool.living();
    this.pool.tell({ tell: 'finish' });
    await isDoneWithin(STOP_TIMEOUT, Promise.all(last.map(({ ended }) => ended)));
    await this.pool.kill();

    const ports = (each: Iterable<number>, open: ReadonlySet<number>) => [...each].filter((port) => open.has(port));
    const reported = this.pool.all.flatMap(({ report }) => report?.ports ?? []);
    let open = await openPorts(dataSource, this.own, this.proxy);
    for (
      const since = performance.now();
      ports(reported, open).length > 0 && performance.now() - since < DISCONNECT_TIMEOUT;
    ) {
      await sleep(50);
      open = await openPorts(dataSource, this.own, this.proxy);
    }
    return this.pool.all.map(({ name, role, report, ownEnd, wasFinished }) => ({
      name,
      role,
      report,
      ownEnd,
      wasFinished,
      openPorts: ports(report?.ports ?? [], open),
    }));
  }
}
