import type { EnqueuedJob, JobDefinition, TableQueue } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import type { EnqueueMethod } from '../journal/journal-entry.js';
import type { ProcessContext } from '../processes/run-process.js';
import type { Random } from '../random.js';
import { sleepUnlessAborted } from '../timing.js';
import {
  AWAITED_SIGNAL,
  type Payload,
  durableJob,
  effectJob,
  keyedJob,
  longJob,
  longestWork,
  plainJob,
  uniqueJob,
} from './definitions.js';
import { drawGroup, enqueueGroup, jobsOf } from './groups.js';
import {
  type EnqueueDetails,
  EnqueueFailed,
  IntendedRollback,
  recordEnqueue,
  recordTransaction,
  throwUnlessIntended,
} from './recorded-calls.js';
import { OrderRow } from './verify-tables.js';

/** How long a transaction is held open at most, in ms. On SQLite it blocks all other writes. */
const HELD = { server: 400, sqlite: 40 } as const;
/** One of so many transactions is held open longer, in ms, so that later ones commit before it. */
const LONG_HELD = { oneIn: 12, server: 2_500, sqlite: 150 } as const;
/** The number of unique keys. It is small, so that many enqueues conflict. */
const KEYS = 6;

/** Half of the jobs with an order are of a few keys, which are busy, and the others of many. */
const ORDER_KEYS = { busy: 4, many: 10_000 } as const;

/** The actions of a producer. Each is recorded before and after, and returns the number of its jobs. */
export class ProducerActions {
  /** Selects the durations above. */
  readonly server: 'server' | 'sqlite';
  private lastToken = 0;
  private lastSequence = 0;

  /** @param stopping once it is aborted, transactions are no longer held open. */
  constructor(
    private readonly context: ProcessContext,
    private readonly stopping: AbortSignal,
  ) {
    this.server = context.dataSource.options.type === 'better-sqlite3' ? 'sqlite' : 'server';
  }

  async enqueueOne(definition: JobDefinition<Payload>, random: Random): Promise<number> {
    const payload = this.drawPayload(random, longestWork(definition));
    await this.enqueue(definition, payload, 'single', (queue) => queue.enqueue(definition, payload));
    return 1;
  }

  async enqueueLong(random: Random): Promise<number> {
    const payload = { ...this.drawPayload(random), work: this.drawLongWork(random), fails: 0 };
    await this.enqueue(longJob, payload, 'single', (queue) => queue.enqueue(longJob, payload));
    return 1;
  }

  async enqueueInOrder(definition: JobDefinition<Payload>, random: Random): Promise<number> {
    const payload = { ...this.drawPayload(random), fails: 0 };
    const enqueue = (queue: TableQueue) => queue.enqueue(definition, payload);
    await this.enqueue(definition, payload, 'single', enqueue, { sequence: ++this.lastSequence });
    return 1;
  }

  /** Enqueues up to three jobs with the same key at the same time. */
  async enqueueUnique(random: Random): Promise<number> {
    const key = `key-${random.integer(1, KEYS)}`;
    const payloads = Array.from({ length: random.integer(1, 3) }, () => ({ ...this.drawPayload(random, 60), key }));
    const enqueueOne = (payload: Payload) =>
      this.enqueue(uniqueJob, payload, 'single', (queue) =>
        queue.enqueue(uniqueJob, payload, { unique: { key, while: 'unfinished' } }),
      );
    await Promise.all(payloads.map(enqueueOne));
    return payloads.length;
  }

  async enqueueKeyed(random: Random): Promise<number> {
    const payload = this.drawKeyed(random);
    const details = { order: payload.order };
    await this.enqueue(keyedJob, payload, 'single', (queue) => queue.enqueue(keyedJob, payload), details);
    return 1;
  }

  /** Commits two jobs of one order key in a transaction that is held open. */
  async commitKeyed(random: Random): Promise<number> {
    const { order } = this.drawKeyed(random);
    await this.transact(async (manager, transaction) => {
      for (let job = 0; job < 2; job++) {
        const payload = { ...this.drawPayload(random), order };
        await this.enqueueWithRow(keyedJob, 'transaction', manager, transaction, payload, { order });
      }
      await this.holdOpen(random);
    });
    return 2;
  }

  async enqueueDelayed(random: Random): Promise<number> {
    const payload = this.drawPayload(random);
    const shouldCancel = random.chance(0.3);
    // Longer than a busy machine is late, so that a job to cancel does not start before.
    const delay = shouldCancel
      ? random.integer(5_000, 10_000)
      : random.integer(50, random.chance(0.3) ? 10_000 : 2_500);
    const job = await this.enqueue(plainJob, payload, 'single', (queue) => queue.enqueue(plainJob, payload, { delay }));
    if (job && shouldCancel) {
      await this.cancel(job.id);
    }
    return 1;
  }

  async enqueueBulk(definition: JobDefinition<Payload>, count: number, random: Random): Promise<number> {
    const { queue, journal } = this.context;
    const jobs = Array.from({ length: count }, () => ({ payload: this.drawPayload(random, longestWork(definition)) }));
    const tokens = jobs.map(({ payload }) => payload.token);
    tokens.forEach((token) => journal.write({ event: 'enqueue', token, kind: definition.name, method: 'bulk' }));
    try {
      const stored = await queue.enqueueMany(definition, jobs);
      tokens.forEach((token, index) => {
        journal.write({ event: 'enqueued', token, id: stored[index]!.id, created: true });
      });
    } catch (error) {
      tokens.forEach((token) => journal.write({ event: 'enqueue-failed', token, error: String(error) }));
    }
    return jobs.length;
  }

  /** Commits up to three jobs, and a row for each, in one transaction that is held open. */
  async commitTransaction(random: Random, first: JobDefinition<Payload>, held?: number): Promise<number> {
    const definitions = [first, ...Array.from({ length: random.integer(0, 2) }, () => plainJob)];
    await this.transact(async (manager, transaction) => {
      for (const definition of definitions) {
        await this.enqueueWithRow(definition, 'transaction', manager, transaction, this.drawPayload(random));
      }
      await this.holdOpen(random, held);
    });
    return definitions.length;
  }

  /** Commits a durable job, half of the time together with the signal that it waits for. */
  async commitDurable(random: Random): Promise<number> {
    const payload = { ...this.drawPayload(random), ...(random.chance(0.25) && { work: this.drawLongWork(random) }) };
    const signal = random.chance(0.5) ? `signal of ${payload.token}` : undefined;
    await this.transact(async (manager, transaction) => {
      const { id } = await this.enqueueWithRow(
        durableJob,
        'transaction',
        manager,
        transaction,
        payload,
        signal === undefined ? {} : { signal },
      );
      if (signal !== undefined) {
        await this.context.queue.signal(id, AWAITED_SIGNAL, signal, { manager });
      }
    });
    return 1;
  }

  async rollBackTransaction(random: Random): Promise<number> {
    await this.transact(async (manager, transaction) => {
      await this.enqueueWithRow(plainJob, 'transaction', manager, transaction, this.drawPayload(random));
      await this.holdOpen(random);
      throw new IntendedRollback();
    });
    return 1;
  }

  /** Commits a transaction after it rolled back to a savepoint. */
  async rollBackToSavepoint(random: Random): Promise<number> {
    await this.transact(async (manager, transaction) => {
      await this.enqueueWithRow(plainJob, 'savepoint', manager, transaction, this.drawPayload(random));
      await manager
        .transaction(async (inner) => {
          await this.enqueueWithRow(effectJob, 'savepoint', inner, transaction, this.drawPayload(random));
          throw new IntendedRollback();
        })
        .catch(throwUnlessIntended);
      await this.holdOpen(random);
    });
    return 2;
  }

  /** Enqueues a group without a transaction, and may cancel one of its members. */
  async enqueueGroup(random: Random): Promise<number> {
    const group = drawGroup(random, () => this.drawPayload(random));
    const stored = await enqueueGroup(this.context, group);
    if (stored && group.indexToCancel !== undefined) {
      await this.cancel(stored.jobs[group.indexToCancel]!.id);
    }
    return jobsOf(group).length;
  }

  /** Enqueues a group in a transaction. */
  async commitGroup(random: Random): Promise<number> {
    const group = drawGroup(random, () => this.drawPayload(random));
    const rows = jobsOf(group).map(({ token }) => ({ token }));
    await this.transact(async (manager, transaction) => {
      await manager.insert(OrderRow, rows);
      if (!(await enqueueGroup(this.context, group, { manager, transaction }))) {
        throw new EnqueueFailed();
      }
      await this.holdOpen(random);
    });
    return rows.length;
  }

  private async cancel(id: string): Promise<void> {
    const { queue, journal } = this.context;
    const result = await queue.cancel(id).catch(() => undefined);
    if (result === 'cancelled') {
      journal.write({ event: 'cancelled', id });
    }
  }

  /** About a lease: a stopped worker goes on with it after the job was taken over. */
  private drawLongWork(random: Random): number {
    return Math.round(this.context.config.lease * (0.7 + 0.4 * random.next()));
  }

  private drawPayload(random: Random, most = 20): Payload {
    const token = `${this.context.config.name}#${++this.lastToken}`;
    const work = random.chance(0.03) ? random.integer(300, 1_500) : random.integer(0, most);
    return { token, work, fails: random.chance(0.08) ? random.integer(1, 2) : 0 };
  }

  private drawKeyed(random: Random): Payload & { readonly order: string } {
    const order = random.chance(0.5)
      ? `busy-${random.integer(1, ORDER_KEYS.busy)}`
      : `key-${random.integer(1, ORDER_KEYS.many)}`;
    return { ...this.drawPayload(random), order };
  }

  private async holdOpen(random: Random, held = this.drawHeld(random)): Promise<void> {
    await sleepUnlessAborted(held, this.stopping);
  }

  private drawHeld(random: Random): number {
    const isLong = random.integer(1, LONG_HELD.oneIn) === 1;
    return isLong ? LONG_HELD[this.server] : random.integer(0, HELD[this.server]);
  }

  private transact(work: (manager: EntityManager, transaction: string) => Promise<void>): Promise<void> {
    return recordTransaction(this.context, `${this.context.config.name}!${++this.lastToken}`, work);
  }

  /** @throws EnqueueFailed */
  private async enqueueWithRow(
    definition: JobDefinition<Payload>,
    method: EnqueueMethod,
    manager: EntityManager,
    transaction: string,
    payload: Payload,
    more: EnqueueDetails = {},
  ): Promise<EnqueuedJob> {
    await manager.insert(OrderRow, { token: payload.token });
    const enqueue = (queue: TableQueue) => queue.enqueue(definition, payload, { manager });
    const job = await this.enqueue(definition, payload, method, enqueue, { transaction, ...more });
    if (!job) {
      // No `IntendedRollback`: after a deadlock the whole transaction is gone, not only the savepoint.
      throw new EnqueueFailed();
    }
    return job;
  }

  private enqueue(
    definition: JobDefinition<Payload>,
    payload: Payload,
    method: EnqueueMethod,
    enqueue: (queue: TableQueue) => ReturnType<TableQueue['enqueue']>,
    more: EnqueueDetails = {},
  ) {
    return recordEnqueue(this.context, { token: payload.token, kind: definition.name, method, ...more }, enqueue);
  }
}
