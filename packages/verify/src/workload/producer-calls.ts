import type { EnqueuedJob, JobDefinition, TableQueue } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import type { EnqueueMethod } from '../journal/journal-entry.js';
import type { ProcessContext } from '../processes/run-process.js';
import type { Random } from '../random.js';
import { sleepUnlessAborted } from '../timing.js';
import type { Payload } from './definitions.js';
import { type EnqueueDetails, EnqueueFailed, recordEnqueue, recordTransaction } from './recorded-calls.js';
import { OrderRow } from './verify-tables.js';

/** How long a transaction is held open at most, in ms. On SQLite it blocks all other writes. */
const HELD = { server: 400, sqlite: 40 } as const;
/** One of so many transactions is held open longer, in ms, so that later ones commit before it. */
const LONG_HELD = { oneIn: 12, server: 2_500, sqlite: 150 } as const;

/** What the actions of a producer share: random payloads, and recorded enqueues and transactions. */
export class ProducerCalls {
  /** Selects the durations above. */
  readonly server: 'server' | 'sqlite';
  private lastToken = 0;

  /** @param stopping once it is aborted, transactions are no longer held open. */
  constructor(
    readonly context: ProcessContext,
    private readonly stopping: AbortSignal,
  ) {
    this.server = context.dataSource.options.type === 'better-sqlite3' ? 'sqlite' : 'server';
  }

  /** @param most how long most handlers run at most, in ms. */
  drawPayload(random: Random, most = 20): Payload {
    const token = `${this.context.config.name}#${++this.lastToken}`;
    const work = random.chance(0.03) ? random.integer(300, 1_500) : random.integer(0, most);
    return { token, work, fails: random.chance(0.08) ? random.integer(1, 2) : 0 };
  }

  /** Waits, with the transaction open, for a random time or for `held` ms. */
  async holdOpen(random: Random, held = this.drawHeld(random)): Promise<void> {
    await sleepUnlessAborted(held, this.stopping);
  }

  private drawHeld(random: Random): number {
    const isLong = random.integer(1, LONG_HELD.oneIn) === 1;
    return isLong ? LONG_HELD[this.server] : random.integer(0, HELD[this.server]);
  }

  /** Runs a transaction with a name of its own. */
  transact(work: (manager: EntityManager, transaction: string) => Promise<void>): Promise<void> {
    return recordTransaction(this.context, `${this.context.config.name}!${++this.lastToken}`, work);
  }

  /** Enqueues a job in a transaction, with a row that shows whether it was committed. @throws EnqueueFailed */
  async enqueueWithRow(
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

  /** @returns undefined if the enqueue has failed. */
  enqueue(
    definition: JobDefinition<Payload>,
    payload: Payload,
    method: EnqueueMethod,
    enqueue: (queue: TableQueue) => ReturnType<TableQueue['enqueue']>,
    more: EnqueueDetails = {},
  ) {
    return recordEnqueue(this.context, { token: payload.token, kind: definition.name, method, ...more }, enqueue);
  }
}
