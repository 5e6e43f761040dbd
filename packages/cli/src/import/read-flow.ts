import { type BullJob, readBullJob } from './bull-job.js';
import type { JournalNode, JournalUnit } from './journal.js';
import type { Refused } from './map-job.js';
import type { BullQueue, JobLocation } from './read-queue.js';
import type { Redis } from './redis-client.js';

/** A queue of the import, with the locations of its jobs. */
export interface SourceQueue {
  readonly queue: BullQueue;
  readonly locations: ReadonlyMap<string, JobLocation & { readonly runAt: number }>;
}

/** A flow, or why it stays; the keys of all jobs of it that were found. */
export interface ReadFlow {
  readonly found: { readonly unit: JournalUnit; readonly jobs: readonly BullJob[] } | Refused;
  readonly keys: readonly string[];
}

/** Reads a parent that waits for its children, with all that are below it. */
export async function readFlow(redis: Redis, sources: readonly SourceQueue[], rootKey: string): Promise<ReadFlow> {
  const nodes: JournalNode[] = [];
  const jobs: BullJob[] = [];
  const keys: string[] = [];
  /** @returns why the flow stays. */
  const add = async (key: string): Promise<string | undefined> => {
    const source = sources.filter(({ queue }) => key.startsWith(queue.base)).sort(byLongestBase)[0];
    if (!source) {
      return `a job of its flow, ${key}, is in a queue that is not part of this import. Add that queue: --queue`;
    }
    const { queue, locations } = source;
    const id = key.slice(queue.base.length);
    const location = locations.get(id);
    keys.push(key);
    const hash = await redis.hgetall(key);
    if (Object.keys(hash).length === 0) {
      return `a job of its flow, ${key}, was removed, and its parent would wait for it. Remove the parent, or add the job again`;
    }
    if (!location || location.state === 'failed') {
      return `a job of its flow, ${key}, ${location ? 'has failed. Retry or remove it in Bull first' : 'is running. Wait until it has ended'}`;
    }
    const pending = location.state === 'waiting-children' ? await redis.smembers(`${key}:dependencies`) : [];
    if (location.state === 'waiting-children' && pending.length === 0) {
      return `${key} waits for children, but has none. Remove or retry it in Bull first`;
    }
    const children: number[] = [];
    const { list, state, runAt } = location;
    const { base, isBull4 } = queue;
    nodes.push({ queue: queue.name, base, id, list, state, runAt, isBull4, pending: pending.length, children });
    jobs.push(readBullJob(queue.name, id, hash));
    for (const child of pending.sort()) {
      children.push(nodes.length);
      const refusal = await add(child);
      if (refusal !== undefined) {
        return refusal;
      }
    }
    return undefined;
  };
  const refusal = await add(rootKey);
  const unit: JournalUnit = { type: 'jobs', nodes: nodes as unknown as JournalUnit['nodes'] };
  return { found: refusal === undefined ? { unit, jobs } : { refusal }, keys };
}

function byLongestBase(a: SourceQueue, b: SourceQueue): number {
  return b.queue.base.length - a.queue.base.length;
}

/** Whether a job is waited for by its parent. */
export async function isPending(redis: Redis, { parentKey }: BullJob, key: string): Promise<boolean> {
  return parentKey !== undefined && (await redis.sismember(`${parentKey}:dependencies`, key)) === 1;
}
