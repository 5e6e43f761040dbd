import type { BullState } from './map-job.js';
import type { Redis } from './redis-client.js';

/** Where a job is: a list or a sorted set of its queue. */
export interface JobLocation {
  readonly id: string;
  readonly state: BullState;
  /** The key of the list or set, without the prefix of the queue. */
  readonly list: string;
  /** When it is due, in ms by the clock of its producer; undefined if it waits. */
  readonly dueAt?: number;
}

/** A queue of Bull or BullMQ. */
export interface BullQueue {
  readonly name: string;
  /** What its keys begin with: `bull:mail:`. */
  readonly base: string;
  readonly isBull4: boolean;
  /** `Bull 4`, or that of BullMQ with its version if it is stored. */
  readonly library: string;
  readonly isPaused: boolean;
  /** How many jobs run, or have stalled. */
  readonly active: number;
  /** How many of them no worker holds a lock of. */
  readonly stalled: number;
  readonly completed: number;
  /** The limit of running jobs in all processes; undefined if there is none. */
  readonly concurrency: string | undefined;
}

/** Finds the names of all queues with a prefix, in order. Each queue has a counter of its ids. */
export async function findQueueNames(redis: Redis, prefix: string): Promise<string[]> {
  const pattern = `${prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}:*:id`;
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    found.forEach((key) => keys.add(key));
    cursor = next;
  } while (cursor !== '0');
  const counters: string[] = [];
  for (const key of keys) {
    // The hash of a job can have such a name.
    if ((await redis.type(key)) === 'string') {
      counters.push(key.slice(prefix.length + 1, -':id'.length));
    }
  }
  return counters.sort();
}

/** Reads the state of a queue, without its jobs. */
export async function readQueue(redis: Redis, prefix: string, name: string): Promise<BullQueue> {
  const base = `${prefix}:${name}:`;
  const meta = await redis.hgetall(`${base}meta`);
  const version = meta['version'];
  const isBull4 = version === undefined && !('opts.maxLenEvents' in meta);
  const active = await redis.lrange(`${base}active`, 0, -1);
  const locks = await Promise.all(active.map((id) => redis.exists(`${base}${id}:lock`)));
  return {
    name,
    base,
    isBull4,
    library: isBull4 ? 'Bull 4' : (version?.replace(/^bullmq:/, 'BullMQ ') ?? 'BullMQ'),
    isPaused: 'paused' in meta || (await redis.exists(`${base}meta-paused`)) === 1,
    active: active.length,
    stalled: locks.filter((lock) => lock === 0).length,
    completed: await redis.zcard(`${base}completed`),
    concurrency: meta['concurrency'],
  };
}

/**
 * Finds where the jobs of a queue are, each state in one command: in the order in which Bull runs them.
 *
 * Paused jobs are in a list of their own, except in BullMQ 6. Bull keeps prioritized jobs in the list of waiting ones.
 */
export async function readLocations(redis: Redis, { base }: BullQueue): Promise<JobLocation[]> {
  const list = async (key: string): Promise<JobLocation[]> => {
    const ids = await redis.lrange(`${base}${key}`, 0, -1);
    // BullMQ 4 wakes its workers with entries such as "0:0".
    const jobs = ids.toReversed().filter((id) => !id.startsWith('0:'));
    return jobs.map((id) => ({ id, state: 'waiting', list: key }));
  };
  const set = async (key: BullState): Promise<JobLocation[]> => {
    const entries = await redis.zrange(`${base}${key}`, 0, -1, 'WITHSCORES');
    return entries.flatMap((id, index) => {
      const score = Number(entries[index + 1]);
      // The lowest 12 bits are the order of jobs with the same time.
      const dueAt = key === 'delayed' ? { dueAt: Math.floor(score / 4_096) } : {};
      return index % 2 === 0 ? [{ id, state: key, list: key, ...dueAt }] : [];
    });
  };
  const locations = [
    await set('waiting-children'),
    await list('paused'),
    await list('wait'),
    await set('prioritized'),
    await set('delayed'),
    await set('failed'),
  ];
  return locations.flat();
}
