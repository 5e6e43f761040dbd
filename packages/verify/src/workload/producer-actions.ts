import type { JobDefinition, TableQueue } from '@tablequeue/typeorm';

import type { Random } from '../random.js';
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
import type { ProducerCalls } from './producer-calls.js';
import { EnqueueFailed, IntendedRollback, throwUnlessIntended } from './recorded-calls.js';
import { OrderRow } from './verify-tables.js';

/** The number of unique keys. It is small, so that many enqueues conflict. */
const KEYS = 6;

/** Half of the jobs with an order are of a few keys, which are busy, and the others of many. */
const ORDER_KEYS = { busy: 4, many: 10_000 } as const;

/** The actions of a producer. Each is recorded before and after, and returns the number of its jobs. */
export class ProducerActions {
  private lastSequence = 0;

  constructor(private readonly calls: ProducerCalls) {}

  async enqueueOne(definition: JobDefinition<Payload>, random: Random): Promise<number> {
    const payload = this.calls.drawPayload(random, longestWork(definition));
    await this.calls.enqueue(definition, payload, 'single', (queue) => queue.enqueue(definition, payload));
    return 1;
  }

  async enqueueLong(random: Random): Promise<number> {
    const payload = { ...this.calls.drawPayload(random), work: this.drawLongWork(random), fails: 0 };
    await this.calls.enqueue(longJob, payload, 'single', (queue) => queue.enqueue(longJob, payload));
    return 1;
  }

  async enqueueInOrder(definition: JobDefinition<Payload>, random: Random): Promise<number> {
    const payload = { ...this.calls.drawPayload(random), fails: 0 };
    const enqueue = (queue: TableQueue) => queue.enqueue(definition, payload);
    await this.calls.enqueue(definition, payload, 'single', enqueue, { sequence: ++this.lastSequence });
    return 1;
  }

  /** Enqueues up to three jobs with the same key at the same time. */
  async enqueueUnique(random: Random): Promise<number> {
    const key = `key-${random.integer(1, KEYS)}`;
    const payloads = Array.from({ length: random.integer(1, 3) }, () => ({
      ...this.calls.drawPayload(random, 60),
      key,
    }));
    const enqueueOne = (payload: Payload) =>
      this.calls.enqueue(uniqueJob, payload, 'single', (queue) =>
        queue.enqueue(uniqueJob, payload, { unique: { key, while: 'unfinished' } }),
      );
    await Promise.all(payloads.map(enqueueOne));
    return payloads.length;
  }

  async enqueueKeyed(random: Random): Promise<number> {
    const payload = this.drawKeyed(random);
    const details = { order: payload.order };
    await this.calls.enqueue(keyedJob, payload, 'single', (queue) => queue.enqueue(keyedJob, payload), details);
    return 1;
  }

  /** Commits two jobs of one order key in a transaction that is held open. */
  async commitKeyed(random: Random): Promise<number> {
    const { order } = this.drawKeyed(random);
    await this.calls.transact(async (manager, transaction) => {
      for (let job = 0; job < 2; job++) {
        const payload = { ...this.calls.drawPayload(random), order };
        await this.calls.enqueueWithRow(keyedJob, 'transaction', manager, transaction, payload, { order });
      }
      await this.calls.holdOpen(random);
    });
    return 2;
  }

  async enqueueDelayed(random: Random): Promise<number> {
    const payload = this.calls.drawPayload(random);
    const shouldCancel = random.chance(0.3);
    // Longer than a busy machine is late, so that a job to cancel does not start before.
    const delay = shouldCancel
      ? random.integer(5_000, 10_000)
      : random.integer(50, random.chance(0.3) ? 10_000 : 2_500);
    const job = await this.calls.enqueue(plainJob, payload, 'single', (queue) =>
      queue.enqueue(plainJob, payload, { delay }),
    );
    if (job && shouldCancel) {
      await this.cancel(job.id);
    }
    return 1;
  }

  /** Commits up to three jobs, and a row for each, in one transaction that is held open. */
  async commitTransaction(random: Random, first: JobDefinition<Payload>, held?: number): Promise<number> {
    const definitions = [first, ...Array.from({ length: random.integer(0, 2) }, () => plainJob)];
    await this.calls.transact(async (manager, transaction) => {
      for (const definition of definitions) {
        await this.calls.enqueueWithRow(
          definition,
          'transaction',
          manager,
          transaction,
          this.calls.drawPayload(random),
        );
      }
      await this.calls.holdOpen(random, held);
    });
    return definitions.length;
  }

  /** Commits a durable job, half of the time together with the signal that it waits for. */
  async commitDurable(random: Random): Promise<number> {
    const payload = {
      ...this.calls.drawPayload(random),
      ...(random.chance(0.25) && { work: this.drawLongWork(random) }),
    };
    const signal = random.chance(0.5) ? `signal of ${payload.token}` : undefined;
    await this.calls.transact(async (manager, transaction) => {
      const { id } = await this.calls.enqueueWithRow(
        durableJob,
        'transaction',
        manager,
        transaction,
        payload,
        signal === undefined ? {} : { signal },
      );
      if (signal !== undefined) {
        await this.calls.context.queue.signal(id, AWAITED_SIGNAL, signal, { manager });
      }
    });
    return 1;
  }

  async rollBackTransaction(random: Random): Promise<number> {
    await this.calls.transact(async (manager, transaction) => {
      await this.calls.enqueueWithRow(plainJob, 'transaction', manager, transaction, this.calls.drawPayload(random));
      await this.calls.holdOpen(random);
      throw new IntendedRollback();
    });
    return 1;
  }

  /** Commits a transaction after it rolled back to a savepoint. */
  async rollBackToSavepoint(random: Random): Promise<number> {
    await this.calls.transact(async (manager, transaction) => {
      await this.calls.enqueueWithRow(plainJob, 'savepoint', manager, transaction, this.calls.drawPayload(random));
      await manager
        .transaction(async (inner) => {
          await this.calls.enqueueWithRow(effectJob, 'savepoint', inner, transaction, this.calls.drawPayload(random));
          throw new IntendedRollback();
        })
        .catch(throwUnlessIntended);
      await this.calls.holdOpen(random);
    });
    return 2;
  }

  /** Enqueues a group without a transaction, and may cancel one of its members. */
  async enqueueGroup(random: Random): Promise<number> {
    const group = drawGroup(random, () => this.calls.drawPayload(random));
    const stored = await enqueueGroup(this.calls.context, group);
    if (stored && group.indexToCancel !== undefined) {
      await this.cancel(stored.jobs[group.indexToCancel]!.id);
    }
    return jobsOf(group).length;
  }

  /** Enqueues a group in a transaction. */
  async commitGroup(random: Random): Promise<number> {
    const group = drawGroup(random, () => this.calls.drawPayload(random));
    const rows = jobsOf(group).map(({ token }) => ({ token }));
    await this.calls.transact(async (manager, transaction) => {
      await manager.insert(OrderRow, rows);
      if (!(await enqueueGroup(this.calls.context, group, { manager, transaction }))) {
        throw new EnqueueFailed();
      }
      await this.calls.holdOpen(random);
    });
    return rows.length;
  }

  private async cancel(id: string): Promise<void> {
    const { queue, journal } = this.calls.context;
    const result = await queue.cancel(id).catch(() => undefined);
    if (result === 'cancelled') {
      journal.write({ event: 'cancelled', id });
    }
  }

  /** About a lease: a stopped worker goes on with it after the job was taken over. */
  private drawLongWork(random: Random): number {
    return Math.round(this.calls.context.config.lease * (0.7 + 0.4 * random.next()));
  }

  private drawKeyed(random: Random): Payload & { readonly order: string } {
    const order = random.chance(0.5)
      ? `busy-${random.integer(1, ORDER_KEYS.busy)}`
      : `key-${random.integer(1, ORDER_KEYS.many)}`;
    return { ...this.calls.drawPayload(random), order };
  }
}
