import { setTimeout as sleep } from 'node:timers/promises';

import { type JobDefinition, TableQueueJob } from '@tablequeue/typeorm';

import type { Random } from '../random.js';
import { type ActParts, Acts } from './acts.js';
import {
  type Payload,
  doomedJob,
  effectJob,
  fleetingJob,
  limitedJob,
  orderedJob,
  ownJob,
  plainJob,
} from './definitions.js';

/** How many things a producer does at a time. TypeORM has one connection for SQLite, and so one transaction. */
const AT_ONCE = { server: 3, sqlite: 1 } as const;
/** How many jobs the loops of all others enqueue while the one in order enqueues one. */
const SLOWER_IN_ORDER = 3;
/**
 * When a producer enqueues the first job that it runs itself, how long it takes to commit it, and how long after that the
 * next follows, in ms. A worker that was told of it too early looks often for five seconds, and then ever less often, up
 * to its poll interval: at this time it has looked a while ago and will not look again for some seconds. On SQLite nobody
 * writes meanwhile, so there it is no test of that.
 */
const OWN = { first: 1_000, between: 3_000, held: { server: 11_500, sqlite: 150 } } as const;
/** How many jobs are missing when they are enqueued together, and how many of them are. */
const TOPPED_UP = { least: 10, most: 250 } as const;
/** How often that is looked at, in ms. */
const LOOK = 250;
/** How much faster than it should a producer is that has fallen behind. */
const CATCH_UP = 2;
/** For how long, in s, there is work for the workers at most: else what they cannot do would have to be drained at the end. */
const BACKLOG = 20;
/** How many jobs wait in order at most: one of them runs at a time, on a cluster one in the time of two of its commits. */
const MOST_IN_ORDER = 500;

/** What a producer draws from, too. */
export interface LoadParts extends ActParts {
  readonly random: Random;
}

/** Does one of the things that a producer does, and tells how many jobs it was about. */
type Act = (random: Random) => Promise<number>;

/** What one producer enqueues: some of everything, in an order that its seed repeats. */
export class Load {
  private readonly acts: Acts;
  private readonly ways: readonly (readonly [weight: number, act: Act])[];
  /** What it has not done yet comes first: by chance alone a short run has nothing of what is rare. */
  private readonly untried: Act[];
  private readonly ending = new AbortController();
  private enqueued = 0;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: LoadParts) {
    const acts = new Acts(parts, this.ending.signal);
    this.acts = acts;
    const one = (definition: JobDefinition<Payload>) => (random: Random) => acts.alone(definition, random);
    this.ways = [
      [20, one(plainJob)],
      [8, one(fleetingJob)],
      [3, one(doomedJob)],
      [4, (random) => acts.long(random)],
      [20, one(effectJob)],
      [8, one(limitedJob)],
      [10, (random) => acts.unique(random)],
      [6, (random) => acts.delayed(random)],
      [4, (random) => acts.bulk(plainJob, random.whole(5, 40), random)],
      // More than may run at a time: one by one they seldom meet.
      [2, (random) => acts.bulk(limitedJob, random.whole(6, 12), random)],
      [3, (random) => acts.group(random)],
      [2, (random) => acts.groupInTransaction(random)],
      [16, (random) => acts.transaction(random, plainJob)],
      [4, (random) => acts.abandonedTransaction(random)],
      [6, (random) => acts.savepoint(random)],
    ];
    this.untried = this.ways.map(([, act]) => act);
  }

  /** Begins to enqueue. */
  start(): void {
    const { config, random } = this.parts;
    const loops = AT_ONCE[this.acts.server];
    const inTurn = Array.from({ length: loops }, (_each, index) => this.loop(loops, random.fork(), index === 0));
    // One after another, each when the one before is stored: only so is there an order to keep.
    const inOrder = this.loopInOrder(loops, random.fork(), orderedJob(config.slot));
    this.running = Promise.all([...inTurn, inOrder, this.topUp(random.fork())]);
  }

  /** Resolves when everything is enqueued that there is to enqueue. */
  get done(): Promise<unknown> {
    return this.running;
  }

  /** Enqueues nothing more. Resolves when everything under way has ended. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.running;
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  private async loop(loops: number, random: Random, isFirst: boolean): Promise<void> {
    const own = ownJob(this.parts.config.slot);
    let ownAt = isFirst ? performance.now() + OWN.first : Infinity;
    await this.repeat(loops, random, () => {
      if (performance.now() < ownAt) {
        const act = this.untried.pop() ?? random.weighted(this.ways);
        return act(random);
      }
      ownAt = performance.now() + OWN.held[this.acts.server] + OWN.between;
      return this.acts.transaction(random, own, OWN.held[this.acts.server]);
    });
  }

  private async loopInOrder(loops: number, random: Random, definition: JobDefinition<Payload>): Promise<void> {
    await this.repeat(loops * SLOWER_IN_ORDER, random, async () => {
      if ((await this.backlog(definition.queue)) < MOST_IN_ORDER) {
        return this.acts.inOrder(definition, random);
      }
      await sleep(LOOK);
      return 0;
    });
  }

  /**
   * What those do one by one does not make much: they wait in their transactions, and on a server that is away. What is
   * missing comes in bulks.
   */
  private async topUp(random: Random): Promise<void> {
    const { jobs, rate, producers } = this.parts.config;
    const kinds = [
      [5, plainJob],
      [2, fleetingJob],
      [2, effectJob],
      [0.2, doomedJob],
    ] as const;
    let wanted = 0;
    for (let last = performance.now(); !this.isEnding && this.enqueued < jobs;) {
      await sleep(LOOK);
      const passed = performance.now() - last;
      last += passed;
      wanted += (rate * passed) / 1000;
      const most = Math.min(TOPPED_UP.most, (CATCH_UP * rate * passed) / 1000, jobs - this.enqueued);
      const count = Math.floor(Math.min(wanted - this.enqueued, most));
      if (count >= TOPPED_UP.least && (await this.backlog()) < BACKLOG * rate * producers.length) {
        this.enqueued += await this.acts.bulk(random.weighted(kinds), count, random);
      }
    }
  }

  /** How many jobs have not ended, of a queue or of all; as good as too many while nobody can tell. */
  private async backlog(queue?: string): Promise<number> {
    return this.parts.dataSource
      .getRepository(TableQueueJob)
      .count(queue === undefined ? {} : { where: { queue } })
      .catch(() => Infinity);
  }

  /** @param slowness how many times slower than the producer is to be as a whole. */
  private async repeat(slowness: number, random: Random, act: () => Promise<number>): Promise<void> {
    const { jobs, rate } = this.parts.config;
    // Each loop in an asynchronous context of its own, as requests are: none begins its transaction in that of all.
    await sleep(random.whole(0, 100));
    while (!this.isEnding && this.enqueued < jobs) {
      const count = await act();
      this.enqueued += count;
      await sleep(((count * 1000 * slowness) / rate) * (0.5 + random.next()));
    }
  }
}
