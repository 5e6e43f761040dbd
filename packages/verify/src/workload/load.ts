import { setTimeout as sleep } from 'node:timers/promises';

import type { JobDefinition } from '@tablequeue/typeorm';

import type { ProcessContext } from '../processes/run-process.js';
import type { Random } from '../random.js';
import { countUnfinished } from './count-unfinished.js';
import {
  type Payload,
  doomedJob,
  effectJob,
  limitedJob,
  orderedJob,
  ownJob,
  plainJob,
  ratedJob,
  unkeptJob,
} from './definitions.js';
import { enqueueBulk, enqueueExpiring, enqueueForTenants } from './enqueue-bulk.js';
import { ProducerActions } from './producer-actions.js';
import { ProducerCalls } from './producer-calls.js';
import { publishEvent, publishInTransaction, replayEvents } from './publish-events.js';

/** The number of concurrent actions of a producer. On SQLite TypeORM has one connection, and so one transaction. */
const LOOPS = { server: 3, sqlite: 1 } as const;
/** How many jobs the other loops enqueue for each job that the ordered loop enqueues. */
const ORDERED_SLOWNESS = 3;
/**
 * When a producer enqueues its first own job, how long it holds the transaction, and how long after the commit the next
 * one follows, in ms. A worker that is notified too early polls often for 5 s, then less and less often. After 11.5 s
 * its next poll is seconds away, so `woken-in-time` detects the error. On SQLite an open transaction blocks all writes,
 * so the transactions are short and do not test this.
 */
const OWN = { first: 1_000, between: 3_000, held: { server: 11_500, sqlite: 150 } } as const;
/** How many missing jobs are enqueued in one bulk call. */
const TOP_UP = { least: 10, most: 250 } as const;
/** How often the number of missing jobs is checked, in ms. */
const CHECK_INTERVAL = 250;
/** How many times its rate a producer may reach after it has fallen behind. */
const CATCH_UP = 2;
/** Bulk calls stop while more than so many seconds of load wait, because all waiting jobs must run after the load. */
const MOST_BACKLOG = 20;
/** The number of ordered jobs that wait at most. They run one at a time. */
const MOST_ORDERED = 500;

/** What a producer works with. */
export interface LoadContext extends ProcessContext {
  readonly random: Random;
}

/** Performs one action, and returns the number of its jobs. */
type Action = (random: Random) => Promise<number>;

/** The load of one producer: random actions, in an order that the seed determines. */
export class Load {
  private readonly calls: ProducerCalls;
  private readonly actions: ProducerActions;
  private readonly weighted: readonly (readonly [weight: number, action: Action])[];
  /** The actions that have not been performed yet. They come first, so that a short run has the rare ones too. */
  private readonly untried: Action[];
  private readonly stopping = new AbortController();
  private enqueued = 0;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: LoadContext) {
    const calls = new ProducerCalls(context, this.stopping.signal);
    const actions = new ProducerActions(calls);
    this.calls = calls;
    this.actions = actions;
    const one = (definition: JobDefinition<Payload>) => (random: Random) => actions.enqueueOne(definition, random);
    this.weighted = [
      // Tried last, so that there are events to replay.
      [0.3, (random) => replayEvents(calls, random)],
      [20, one(plainJob)],
      [8, one(unkeptJob)],
      [3, one(doomedJob)],
      [4, (random) => actions.enqueueLong(random)],
      [20, one(effectJob)],
      [8, one(limitedJob)],
      [10, (random) => actions.enqueueUnique(random)],
      [10, (random) => actions.enqueueKeyed(random)],
      [5, (random) => actions.commitKeyed(random)],
      [6, (random) => actions.enqueueDelayed(random)],
      [3, (random) => enqueueExpiring(calls, random.integer(4, 12), random)],
      // More than the bursts of the rates.
      [1, (random) => enqueueBulk(calls, ratedJob, random.integer(8, 16), random)],
      [1, (random) => enqueueForTenants(calls, random.integer(12, 20), random)],
      [4, (random) => enqueueBulk(calls, plainJob, random.integer(5, 40), random)],
      // More than the limit, because single ones rarely overlap.
      [2, (random) => enqueueBulk(calls, limitedJob, random.integer(6, 12), random)],
      [3, (random) => actions.enqueueGroup(random)],
      [2, (random) => actions.commitGroup(random)],
      [16, (random) => actions.commitTransaction(random, plainJob)],
      [4, (random) => actions.rollBackTransaction(random)],
      [6, (random) => actions.rollBackToSavepoint(random)],
      [3, (random) => publishEvent(calls, random)],
      [4, (random) => publishInTransaction(calls, random)],
    ];
    // Other servers refuse durable calls.
    if (context.queue.engine.dialect.canSkipLocked) {
      this.weighted = [...this.weighted, [10, (random) => actions.commitDurable(random)]];
    }
    this.untried = this.weighted.map(([, action]) => action);
  }

  start(): void {
    const { config, random } = this.context;
    const count = LOOPS[this.calls.server];
    const loops = Array.from({ length: count }, (_each, index) => this.loop(count, random.fork(), index === 0));
    // One after another: each enqueue must return before the next one, or there is no order to check.
    const ordered = this.loopInOrder(count, random.fork(), orderedJob(config.slot));
    this.running = Promise.all([...loops, ordered, this.topUp(random.fork())]);
  }

  /** Resolves when all jobs of the load are enqueued. */
  get done(): Promise<unknown> {
    return this.running;
  }

  /** Stops enqueuing. Resolves when all actions in progress have ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async loop(loops: number, random: Random, isFirst: boolean): Promise<void> {
    const own = ownJob(this.context.config.slot);
    let ownAt = isFirst ? performance.now() + OWN.first : Infinity;
    await this.repeat(loops, random, () => {
      if (performance.now() < ownAt) {
        const action = this.untried.pop() ?? random.pickWeighted(this.weighted);
        return action(random);
      }
      ownAt = performance.now() + OWN.held[this.calls.server] + OWN.between;
      return this.actions.commitTransaction(random, own, OWN.held[this.calls.server]);
    });
  }

  private async loopInOrder(loops: number, random: Random, definition: JobDefinition<Payload>): Promise<void> {
    await this.repeat(loops * ORDERED_SLOWNESS, random, async () => {
      if ((await this.countUnfinished(definition.queue)) < MOST_ORDERED) {
        return this.actions.enqueueInOrder(definition, random);
      }
      await sleep(CHECK_INTERVAL);
      return 0;
    });
  }

  /**
   * Fills up to the rate with bulk calls: the loops are slow, because they hold transactions open and wait for faults.
   */
  private async topUp(random: Random): Promise<void> {
    const { jobs, rate, producers } = this.context.config;
    const kinds = [
      [5, plainJob],
      [2, unkeptJob],
      [2, effectJob],
      [0.2, doomedJob],
    ] as const;
    let target = 0;
    for (let last = performance.now(); !this.isStopping && this.enqueued < jobs;) {
      await sleep(CHECK_INTERVAL);
      const passed = performance.now() - last;
      last += passed;
      target += (rate * passed) / 1000;
      const most = Math.min(TOP_UP.most, (CATCH_UP * rate * passed) / 1000, jobs - this.enqueued);
      const count = Math.floor(Math.min(target - this.enqueued, most));
      if (count >= TOP_UP.least && (await this.countUnfinished()) < MOST_BACKLOG * rate * producers.length) {
        this.enqueued += await enqueueBulk(this.calls, random.pickWeighted(kinds), count, random);
      }
    }
  }

  /** Counts the unfinished jobs of one queue or of all. Infinity while the database is unavailable. */
  private async countUnfinished(only?: string): Promise<number> {
    return countUnfinished(this.context.dataSource, only).catch(() => Infinity);
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** @param slowness the rate of the producer, divided by the rate of this loop. */
  private async repeat(slowness: number, random: Random, act: () => Promise<number>): Promise<void> {
    const { jobs, rate } = this.context.config;
    // Gives each loop an asynchronous context of its own, as requests have, so that they share no transaction.
    await sleep(random.integer(0, 100));
    while (!this.isStopping && this.enqueued < jobs) {
      const count = await act();
      this.enqueued += count;
      await sleep(((count * 1000 * slowness) / rate) * (0.5 + random.next()));
    }
  }
}
