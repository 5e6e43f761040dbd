import type { JobDefinition, TableQueue } from '@tablequeue/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

import type { Way } from '../journal/entries.js';
import type { Journal } from '../journal/journal.js';
import type { ProcessConfig } from '../processes/messages.js';
import type { Random } from '../random.js';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import { OrderRow } from './bench-tables.js';
import { type Payload, effectJob, limitedJob, longJob, plainJob, uniqueJob } from './definitions.js';
import { drawGroup, jobsOf, storeGroup } from './groups.js';

/** How long a transaction is held open at most, in ms. On SQLite nobody writes meanwhile. */
const HELD = { server: 400, sqlite: 40 } as const;
/** One transaction in so many is held open for so many ms: longer than it takes others to pass it. */
const LONG_HELD = { oneIn: 12, server: 2_500, sqlite: 150 } as const;
/** How many unique keys there are: few, so that many clash. */
const KEYS = 6;

/** How long most jobs work at most, in ms: those of the limited queue are to wait for one another. */
function longestWork(definition: JobDefinition<Payload>): number {
  return definition === limitedJob ? 60 : 20;
}

/** Undoes a transaction. */
class MeantToFail extends Error {}

/** Undoes a transaction one of whose jobs could not be enqueued, which is noted of the job. */
class NotStored extends Error {}

/** What a producer works with. */
export interface ActParts {
  readonly config: ProcessConfig;
  readonly journal: Journal;
  readonly dataSource: DataSource;
  readonly queue: TableQueue;
}

/** Everything that a producer does: each is noted before and behind, and tells how many jobs it was about. */
export class Acts {
  /** What differs between them. */
  readonly server: 'server' | 'sqlite';
  private lastToken = 0;
  private lastPlace = 0;

  /** @param ending no transaction is held open any more once it is aborted. */
  constructor(
    private readonly parts: ActParts,
    private readonly ending: AbortSignal,
  ) {
    this.server = parts.dataSource.options.type === 'better-sqlite3' ? 'sqlite' : 'server';
  }

  async alone(definition: JobDefinition<Payload>, random: Random): Promise<number> {
    const payload = this.payload(random, longestWork(definition));
    await this.store(definition, payload, 'alone', (queue) => queue.enqueue(definition, payload));
    return 1;
  }

  async long(random: Random): Promise<number> {
    const { lease } = this.parts.config;
    const payload = { ...this.payload(random), work: random.whole(lease * 0.7, lease * 1.1), fails: 0 };
    await this.store(longJob, payload, 'alone', (queue) => queue.enqueue(longJob, payload));
    return 1;
  }

  async inOrder(definition: JobDefinition<Payload>, random: Random): Promise<number> {
    const payload = { ...this.payload(random), fails: 0 };
    const enqueue = (queue: TableQueue) => queue.enqueue(definition, payload);
    await this.store(definition, payload, 'alone', enqueue, { place: ++this.lastPlace });
    return 1;
  }

  /** Up to three with one key, at the same time. */
  async unique(random: Random): Promise<number> {
    const key = `key-${random.whole(1, KEYS)}`;
    const payloads = Array.from({ length: random.whole(1, 3) }, () => ({ ...this.payload(random, 60), key }));
    const store = (payload: Payload) =>
      this.store(uniqueJob, payload, 'alone', (queue) =>
        queue.enqueue(uniqueJob, payload, { unique: { key, while: 'unfinished' } }),
      );
    await Promise.all(payloads.map(store));
    return payloads.length;
  }

  async delayed(random: Random): Promise<number> {
    const payload = this.payload(random);
    const isToBeCancelled = random.chance(0.3);
    // Some for longer than a machine without room is late: those that are to be cancelled before they run, too.
    const delay = isToBeCancelled ? random.whole(5_000, 10_000) : random.whole(50, random.chance(0.3) ? 10_000 : 2_500);
    const job = await this.store(plainJob, payload, 'alone', (queue) => queue.enqueue(plainJob, payload, { delay }));
    if (job && isToBeCancelled) {
      await this.cancel(job.id);
    }
    return 1;
  }

  async bulk(definition: JobDefinition<Payload>, count: number, random: Random): Promise<number> {
    const { queue, journal } = this.parts;
    const jobs = Array.from({ length: count }, () => ({ payload: this.payload(random, longestWork(definition)) }));
    const noteAll = (note: (token: string, index: number) => void) => {
      jobs.forEach(({ payload }, index) => note(payload.token, index));
    };
    noteAll((token) => journal.note({ act: 'enqueue', token, kind: definition.name, way: 'bulk' }));
    try {
      const stored = await queue.enqueueMany(definition, jobs);
      noteAll((token, index) => journal.note({ act: 'enqueued', token, id: stored[index]!.id, created: true }));
    } catch (error) {
      noteAll((token) => journal.note({ act: 'refused', token, error: String(error) }));
    }
    return jobs.length;
  }

  /** A few jobs and a row for each, committed together after a while. */
  async transaction(random: Random, first: JobDefinition<Payload>, held?: number): Promise<number> {
    const definitions = [first, ...Array.from({ length: random.whole(0, 2) }, () => plainJob)];
    await this.transact(async (manager, transaction) => {
      for (const definition of definitions) {
        await this.inTransaction(definition, 'transaction', manager, transaction, random);
      }
      await this.hold(random, held);
    });
    return definitions.length;
  }

  /** A group of jobs, by itself. One of them may be cancelled. */
  async group(random: Random): Promise<number> {
    const group = drawGroup(random, () => this.payload(random));
    const stored = await storeGroup(this.parts, group);
    if (stored && group.toBeCancelled !== undefined) {
      await this.cancel(stored.jobs[group.toBeCancelled]!.id);
    }
    return jobsOf(group).length;
  }

  /** The same in a transaction, and none is cancelled. */
  async groupInTransaction(random: Random): Promise<number> {
    const group = drawGroup(random, () => this.payload(random));
    const rows = jobsOf(group).map(({ token }) => ({ token }));
    await this.transact(async (manager, transaction) => {
      await manager.insert(OrderRow, rows);
      if (!(await storeGroup(this.parts, group, { manager, transaction }))) {
        throw new NotStored();
      }
      await this.hold(random);
    });
    return rows.length;
  }

  async abandonedTransaction(random: Random): Promise<number> {
    await this.transact(async (manager, transaction) => {
      await this.inTransaction(plainJob, 'transaction', manager, transaction, random);
      await this.hold(random);
      throw new MeantToFail();
    });
    return 1;
  }

  /** A part of it is undone, the rest is committed. */
  async savepoint(random: Random): Promise<number> {
    await this.transact(async (manager, transaction) => {
      await this.inTransaction(plainJob, 'savepoint', manager, transaction, random);
      await manager
        .transaction(async (inner) => {
          await this.inTransaction(effectJob, 'savepoint', inner, transaction, random);
          throw new MeantToFail();
        })
        .catch(unlessMeant);
      await this.hold(random);
    });
    return 2;
  }

  private async cancel(id: string): Promise<void> {
    const { queue, journal } = this.parts;
    const done = await queue.cancel(id).catch(() => undefined);
    if (done === 'cancelled') {
      journal.note({ act: 'cancelled', id });
    }
  }

  private payload(random: Random, most = 20): Payload {
    const token = `${this.parts.config.name}#${++this.lastToken}`;
    const work = random.chance(0.03) ? random.whole(300, 1_500) : random.whole(0, most);
    return { token, work, fails: random.chance(0.08) ? random.whole(1, 2) : 0 };
  }

  private async hold(random: Random, held = this.drawHeld(random)): Promise<void> {
    await sleepUnlessEnded(held, this.ending);
  }

  private drawHeld(random: Random): number {
    const isLong = random.whole(1, LONG_HELD.oneIn) === 1;
    return isLong ? LONG_HELD[this.server] : random.whole(0, HELD[this.server]);
  }

  private async transact(work: (manager: EntityManager, transaction: string) => Promise<void>): Promise<void> {
    const { dataSource, journal, config } = this.parts;
    const transaction = `${config.name}!${++this.lastToken}`;
    journal.note({ act: 'beginning', transaction });
    try {
      await dataSource.transaction(async (manager) => {
        await work(manager, transaction);
        journal.note({ act: 'committing', transaction });
      });
      journal.note({ act: 'committed', transaction });
    } catch (error) {
      const isMeant = error instanceof MeantToFail || error instanceof NotStored;
      journal.note({ act: 'rolled-back', transaction, error: isMeant ? '' : String(error) });
    }
  }

  private async inTransaction(
    definition: JobDefinition<Payload>,
    way: Way,
    manager: EntityManager,
    transaction: string,
    random: Random,
  ): Promise<void> {
    const payload = this.payload(random);
    await manager.insert(OrderRow, { token: payload.token });
    const enqueue = (queue: TableQueue) => queue.enqueue(definition, payload, { manager });
    const stored = await this.store(definition, payload, way, enqueue, { transaction });
    if (!stored) {
      // Not what a savepoint is rolled back for: after a deadlock the whole transaction is gone.
      throw new NotStored();
    }
  }

  private async store(
    { name: kind }: JobDefinition<Payload>,
    { token }: Payload,
    way: Way,
    enqueue: (queue: TableQueue) => ReturnType<TableQueue['enqueue']>,
    more: { readonly transaction?: string; readonly place?: number } = {},
  ) {
    const { queue, journal } = this.parts;
    journal.note({ act: 'enqueue', token, kind, way, ...more });
    try {
      const job = await enqueue(queue);
      journal.note({ act: 'enqueued', token, id: job.id, created: job.created });
      return job;
    } catch (error) {
      journal.note({ act: 'refused', token, error: String(error) });
      return undefined;
    }
  }
}

function unlessMeant(error: unknown): void {
  if (!(error instanceof MeantToFail)) {
    throw error;
  }
}
