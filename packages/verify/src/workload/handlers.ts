import { setTimeout as sleep } from 'node:timers/promises';

import {
  type JobContext,
  type JobDefinition,
  type JobHandler,
  type JobInfo,
  type TableQueue,
  type TableQueueWorker,
  jobHandler,
  transactionalHandler,
} from '@tablequeue/typeorm';

import type { AttemptOutcome } from '../journal/entries.js';
import type { Journal } from '../journal/journal.js';
import { EffectRow } from './bench-tables.js';
import {
  type Payload,
  callbackJob,
  doomedJob,
  effectJob,
  fleetingJob,
  followJob,
  limitedJob,
  longJob,
  orderedJob,
  plainJob,
  uniqueJob,
} from './definitions.js';

/** What a worker runs: everything but what is in order, and what producers run themselves. */
export function workerHandlers(queue: TableQueue, journal: Journal, process: string): JobHandler[] {
  const noted = [plainJob, longJob, fleetingJob, doomedJob, followJob, callbackJob, limitedJob, uniqueJob];
  return [...noted.map((definition) => notedHandler(definition, journal)), effectHandler(queue, journal, process)];
}

/** What is in order, for the worker that claims in strict order. */
export function orderedHandlers(journal: Journal, producers: readonly string[]): JobHandler[] {
  return producers.map((producer) => notedHandler(orderedJob(producer), journal));
}

/** Notes that it begins, works, and notes that it ends. */
export function notedHandler(definition: JobDefinition<Payload>, journal: Journal): JobHandler {
  return jobHandler(definition, (payload, job) => noted(journal, payload, job, () => sleep(payload.work)));
}

function effectHandler(queue: TableQueue, journal: Journal, process: string): JobHandler {
  return transactionalHandler(effectJob, (payload, job) =>
    noted(journal, payload, job, async () => {
      const { token } = payload;
      const { attempt, manager } = job;
      await manager.insert(EffectRow, { token, attempt, process });
      const follow = { token: `${token}+${attempt}`, work: 0, fails: 0 };
      journal.note({ act: 'enqueue', token: follow.token, kind: followJob.name, way: 'handler' });
      await queue.enqueue(followJob, follow, { manager });
      await sleep(payload.work);
    }),
  );
}

async function noted(journal: Journal, payload: Payload, job: JobContext, work: () => Promise<unknown>): Promise<void> {
  const { id, attempt, name: kind, failures } = job;
  const { token, key, fails } = payload;
  journal.note({ act: 'start', id, attempt, kind, token, ...(key !== undefined && { key }) });
  try {
    await work();
    if (failures < fails || kind === doomedJob.name) {
      throw new Error(`attempt ${attempt} is meant to fail`);
    }
  } catch (error) {
    journal.note({ act: 'end', id, attempt, how: 'threw' });
    throw error;
  }
  journal.note({ act: 'end', id, attempt, how: 'returned' });
}

const SETTLED: readonly AttemptOutcome[] = [
  'succeeded',
  'failed',
  'retried',
  'snoozed',
  'cancelled',
  'returned',
  'lost',
];

/** Notes what a worker tells. */
export function noteEvents({ events }: TableQueueWorker, journal: Journal): void {
  for (const how of SETTLED) {
    events.on(how, ({ id, attempt }: JobInfo) => journal.note({ act: 'settled', id, attempt, how }));
  }
  events.on('stalled', ({ id, attempt }) => journal.note({ act: 'stalled', id, attempt }));
}
