import type { TableQueue } from '@tablequeue/typeorm';
import { JobImports } from '@tablequeue/typeorm/internal';

import { UsageError } from '../errors.js';
import { importJobsOf } from './import-jobs.js';
import { importSchedules } from './import-schedules.js';
import { type ImportMode, ImportTarget } from './import-target.js';
import { readJournal } from './journal.js';
import type { SourceQueue } from './read-flow.js';
import { type BullQueue, findQueueNames, readLocations, readQueue } from './read-queue.js';
import type { Redis } from './redis-client.js';
import { ImportReport } from './report.js';

/** What to import, and how. */
export interface ImportRequest {
  readonly mode: ImportMode;
  /** The prefix of the keys in Redis. */
  readonly redisPrefix: string;
  /** The queues; empty for all. */
  readonly queues: readonly string[];
  /** New names of jobs, by the names in Redis. */
  readonly names: ReadonlyMap<string, string>;
}

/** What was found and done. */
export interface ImportResult {
  readonly queues: readonly BullQueue[];
  readonly report: ImportReport;
  /** How many entries of the journals of an interrupted move were found; in a move also how many are stored. */
  readonly journaled: number;
}

/**
 * Imports the jobs of Bull, or finds out what would be imported.
 *
 * @throws UsageError if a queue does not exist, or a copy finds one that is not paused or has active jobs.
 */
export async function runImport(redis: Redis, queue: TableQueue, request: ImportRequest): Promise<ImportResult> {
  const { mode, redisPrefix, names } = request;
  const queues = await findQueues(redis, request);
  if (mode === 'copy') {
    assertAtRest(queues);
  }
  const imports = new JobImports(queue);
  if (mode !== 'plan') {
    await imports.prepare();
  }
  const { now, accepts } = await imports.facts();
  const settings = { redisPrefix, names, accepts };
  const report = new ImportReport();
  const target = new ImportTarget(redis, queue, imports, settings, report, mode);
  let journaled = 0;
  for (const { base } of queues) {
    journaled += mode === 'move' ? await target.recover(base) : (await readJournal(redis, base)).length;
  }
  const ticks = new Map<string, string | undefined>();
  const sources: SourceQueue[] = [];
  for (const source of queues) {
    const locations = await readLocations(redis, source);
    const found = await importSchedules({ redis, queue, target, report, names, source, locations, mode });
    found.forEach((refusal, id) => ticks.set(`${source.base}${id}`, refusal));
    sources.push({
      queue: source,
      locations: new Map(inOrder(locations, now).map((location) => [location.id, location])),
    });
  }
  await importJobsOf({ redis, target, report, settings, sources, ticks });
  return { queues, report, journaled };
}

async function findQueues(redis: Redis, { redisPrefix, queues: wanted }: ImportRequest): Promise<BullQueue[]> {
  const names = await findQueueNames(redis, redisPrefix);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing !== undefined || names.length === 0) {
    throw new UsageError(
      `Redis has no ${missing === undefined ? 'queue' : `queue "${missing}"`} with the prefix "${redisPrefix}". ` +
        `Check --redis-prefix and the number of the database in --redis.${names.length > 0 ? ` Queues: ${names.join(', ')}` : ''}`,
    );
  }
  return Promise.all((wanted.length > 0 ? wanted : names).map((name) => readQueue(redis, redisPrefix, name)));
}

function assertAtRest(queues: readonly BullQueue[]): void {
  const running = queues.find(({ isPaused, active }) => !isPaused || active > 0);
  if (running) {
    const { name, isPaused, active, stalled } = running;
    throw new UsageError(
      isPaused
        ? `The queue "${name}" has ${active} active jobs, ${stalled} of them stalled. A copy could run them twice. ` +
            'Wait until they have ended; for stalled jobs, let a worker of Bull run while the queue is paused.'
        : `The queue "${name}" is not paused. Bull would run jobs that were copied. Pause it: await queue.pause()`,
    );
  }
}

/** Waiting jobs get times in the past, in their order: jobs with one priority run by the time at which they are due. */
function inOrder<P extends { readonly dueAt?: number }>(
  locations: readonly P[],
  now: number,
): (P & { runAt: number })[] {
  return locations.map((location, index) => ({ ...location, runAt: location.dueAt ?? now - locations.length + index }));
}
