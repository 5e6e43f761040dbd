import { type BullJob, readBullJob } from './bull-job.js';
import type { ImportTarget, ReadyUnit } from './import-target.js';
import type { JournalUnit } from './journal.js';
import { type MapSettings, mapUnit } from './map-unit.js';
import { type SourceQueue, isPending, readFlow } from './read-flow.js';
import type { JobLocation } from './read-queue.js';
import type { Redis } from './redis-client.js';
import type { ImportReport } from './report.js';

interface JobImport {
  readonly redis: Redis;
  readonly target: ImportTarget;
  readonly report: ImportReport;
  readonly settings: MapSettings;
  readonly sources: readonly SourceQueue[];
  /** The keys of the jobs of next ticks, with why they stay; undefined for those that a schedule replaces. */
  readonly ticks: ReadonlyMap<string, string | undefined>;
}

type SourceLocation = JobLocation & { readonly runAt: number };

/** How many jobs are read and stored together at most. */
const MOST_JOBS = 500;
/** About how many bytes of payloads are read and stored together. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Imports the jobs of queues: first the flows, which can have jobs in several of them. */
export async function importJobsOf(given: JobImport): Promise<void> {
  const inFlows = await importFlows(given);
  for (const source of given.sources) {
    const locations = [...source.locations.values()].filter(({ state }) => state !== 'waiting-children');
    let size = 50;
    for (let at = 0; at < locations.length;) {
      const chunk = locations.slice(at, at + size);
      at += chunk.length;
      const bytes = await importChunk(given, source, chunk, inFlows);
      size = Math.max(1, Math.min(MOST_JOBS, Math.floor((MOST_BYTES * chunk.length) / Math.max(1, bytes))));
    }
  }
}

/** @returns how many bytes of payloads it has read. */
async function importChunk(
  given: JobImport,
  { queue }: SourceQueue,
  locations: readonly SourceLocation[],
  inFlows: ReadonlySet<string>,
): Promise<number> {
  const { redis, target, report, settings, ticks } = given;
  const { name, base, isBull4 } = queue;
  const others = locations.filter(({ id }) => !inFlows.has(`${base}${id}`) && !isReplaced(ticks, `${base}${id}`));
  const hashes = await Promise.all(others.map(({ id }) => redis.hgetall(`${base}${id}`)));
  const ready: ReadyUnit[] = [];
  let bytes = 0;
  for (const [index, { id, state, list, runAt }] of others.entries()) {
    const hash = hashes[index] ?? {};
    if (Object.keys(hash).length === 0) {
      // Removed since its location was read, or Bull has lost it.
      continue;
    }
    report.addFound(name, state);
    const job = readBullJob(name, id, hash);
    bytes += job.data.length;
    const stays = ticks.get(`${base}${id}`) ?? (await whyPending(redis, job, `${base}${id}`));
    const node = { queue: name, base, id, list, state, runAt, isBull4, pending: 0, children: [] };
    const entry: JournalUnit = { type: 'jobs', nodes: [node] };
    const mapped = stays === undefined ? mapUnit(entry, [job], settings) : { refusal: stays };
    if ('refusal' in mapped) {
      report.addRefusal(name, state, id, mapped.refusal);
    } else {
      report.addNotes(name, id, [...mapped.notes, ...notesOnChild(job)]);
      ready.push({ entry, unit: mapped.unit });
    }
  }
  if (ready.length > 0) {
    await target.store(ready);
  }
  return bytes;
}

function isReplaced(ticks: JobImport['ticks'], key: string): boolean {
  return ticks.has(key) && ticks.get(key) === undefined;
}

async function whyPending(redis: Redis, job: BullJob, key: string): Promise<string | undefined> {
  return (await isPending(redis, job, key))
    ? `its parent ${job.parentKey} waits for it, and is not part of this import. Add the queue of the parent: --queue`
    : undefined;
}

function notesOnChild({ parentKey }: BullJob): readonly string[] {
  return parentKey === undefined ? [] : ['its parent was removed, or no longer waits for it: it has none here'];
}

/** @returns the keys of all jobs of flows, whether they were imported or stay. */
async function importFlows({ redis, target, report, settings, sources }: JobImport): Promise<Set<string>> {
  const handled = new Set<string>();
  for (const { queue, locations } of sources) {
    for (const location of [...locations.values()].filter(({ state }) => state === 'waiting-children')) {
      const key = `${queue.base}${location.id}`;
      const root = readBullJob(queue.name, location.id, await redis.hgetall(key));
      const isBelow = await isPending(redis, root, key);
      if (handled.has(key) || (isBelow && sources.some((other) => root.parentKey?.startsWith(other.queue.base)))) {
        continue;
      }
      const { found, keys } = await readFlow(redis, sources, key);
      keys.forEach((each) => handled.add(each));
      const outside = isBelow ? await whyPending(redis, root, key) : undefined;
      const mapped =
        outside !== undefined
          ? { refusal: outside }
          : 'refusal' in found
            ? found
            : mapUnit(found.unit, found.jobs, settings);
      const origins = keys.flatMap((each) => locationOf(sources, each) ?? []);
      origins.forEach(({ name, state }) => report.addFound(name, state));
      if ('refusal' in mapped || 'refusal' in found) {
        const reason = 'refusal' in mapped ? mapped.refusal : '';
        origins.forEach(({ name, state, id }) => report.addRefusal(name, state, id, reason));
      } else {
        report.addNotes(queue.name, location.id, mapped.notes);
        await target.store([{ entry: found.unit, unit: mapped.unit }]);
      }
    }
  }
  return handled;
}

function locationOf(
  sources: readonly SourceQueue[],
  key: string,
): { readonly name: string; readonly id: string; readonly state: string } | undefined {
  for (const { queue, locations } of sources) {
    const location = key.startsWith(queue.base) ? locations.get(key.slice(queue.base.length)) : undefined;
    if (location) {
      return { name: queue.name, id: location.id, state: location.state };
    }
  }
  return undefined;
}
