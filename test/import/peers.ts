import { createRequire } from 'node:module';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach } from '@jest/globals';

import type { BenchServer } from '../bench/servers/bench-server.js';
import { startRedis } from '../bench/servers/redis.js';
import { PEERS, installPeers } from './install-peers.js';

/** The releases of Bull and BullMQ, by the names of their packages in `peers`. */
export type Release = 'bull' | 'bullmq4' | 'bullmq5' | 'bullmq';

export interface BullOfTest {
  readonly id?: string;
}

/** What the tests call of Bull's and BullMQ's queues. */
export interface QueueOfTest {
  add(name: string, data: unknown, options?: object): Promise<BullOfTest>;
  addBulk(jobs: readonly object[]): Promise<unknown>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  upsertJobScheduler(id: string, repeat: object, template?: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Closing {
  close(): Promise<void>;
}

export interface FlowOfTest extends Closing {
  add(flow: object): Promise<{ readonly job: BullOfTest }>;
}

export interface WorkerOfTest extends Closing {
  on(event: string, listener: (...values: never[]) => void): void;
}

/** What the tests call of `ioredis`. */
export interface RedisOfTest {
  flushall(): Promise<unknown>;
  keys(pattern: string): Promise<string[]>;
  dump(key: string): Promise<unknown>;
  hset(key: string, ...values: string[]): Promise<unknown>;
  hgetall(key: string): Promise<Record<string, string>>;
  del(...keys: string[]): Promise<unknown>;
  set(key: string, value: string): Promise<unknown>;
  llen(key: string): Promise<number>;
  lpush(key: string, ...values: string[]): Promise<unknown>;
  lrem(key: string, count: number, value: string): Promise<unknown>;
  quit(): Promise<unknown>;
}

interface Library {
  readonly Queue: new (name: string, options: object) => QueueOfTest;
  readonly FlowProducer: new (options: object) => FlowOfTest;
  readonly Worker: new (name: string, work: (job: never) => unknown, options: object) => WorkerOfTest;
}

/** A Redis of the tests of a file, emptied before each test. */
export class BullRedis {
  url = '';
  redis!: RedisOfTest;
  private server: BenchServer | undefined;
  private readonly open: Closing[] = [];

  async start(): Promise<void> {
    await installPeers();
    this.server = await startRedis('nothing persisted', console.error);
    this.url = this.server.url;
    const { Redis } = this.load('ioredis') as { readonly Redis: new (url: string) => RedisOfTest };
    this.redis = new Redis(this.url);
  }

  async stop(): Promise<void> {
    await this.closeAll();
    await this.redis.quit();
    await this.server?.stop();
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.open.splice(0).map((each) => each.close()));
  }

  async empty(): Promise<void> {
    await this.closeAll();
    await this.redis.flushall();
  }

  queue(release: Release, name: string, options: object = {}): QueueOfTest {
    const { hostname: host, port } = new URL(this.url);
    const redis = { host, port: Number(port) };
    if (release === 'bull') {
      const Bull = this.load('bull') as new (name: string, options: object) => QueueOfTest;
      return this.closedLater(new Bull(name, { redis, ...options }));
    }
    const { Queue } = this.load(release) as Library;
    return this.closedLater(new Queue(name, { connection: redis, ...options }));
  }

  flows(release: Release): FlowOfTest {
    const { FlowProducer } = this.load(release) as Library;
    return this.closedLater(new FlowProducer({ connection: this.connection() }));
  }

  worker(release: Release, name: string, work: (job: never) => unknown): WorkerOfTest {
    const { Worker } = this.load(release) as Library;
    return this.closedLater(
      new Worker(name, work, { connection: { ...this.connection(), maxRetriesPerRequest: null } }),
    );
  }

  /** All keys with their values, to compare. */
  async picture(): Promise<Record<string, string>> {
    const keys = (await this.redis.keys('*')).sort();
    const values = await Promise.all(keys.map(async (key) => [key, String(await this.redis.dump(key))] as const));
    return Object.fromEntries(values);
  }

  private connection(): object {
    const { hostname: host, port } = new URL(this.url);
    return { host, port: Number(port) };
  }

  private load(name: string): unknown {
    return createRequire(join(PEERS, 'package.json'))(name);
  }

  private closedLater<T extends Closing>(each: T): T {
    this.open.push(each);
    return each;
  }
}

/** How long the installation may take on a busy machine, in ms. */
const INSTALLING = 300_000;

/** A Redis for the tests of the surrounding file. */
export function useBullRedis(): BullRedis {
  const bull = new BullRedis();
  beforeAll(() => bull.start(), INSTALLING);
  beforeEach(() => bull.empty());
  afterAll(() => bull.stop());
  return bull;
}
