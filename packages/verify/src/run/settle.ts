import { setTimeout as sleep } from 'node:timers/promises';

import { type HealthProblemKind, type TableQueue, TableQueueJob } from '@tablequeue/typeorm';
import {
  TableQueueCancellation,
  TableQueueMaintenance,
  TableQueueMember,
  TableQueueSchedule,
  TableQueueUnique,
} from '@tablequeue/typeorm/internal';
import { type DataSource, In, MoreThan } from 'typeorm';

import { ANSWER_TIMEOUT, answered } from '../answered.js';
import { NoAnswerError } from '../errors.js';
import type { UnsettledState } from '../evidence/gathered-evidence.js';
import type { ResolvedOptions } from '../options.js';
import { AWAITED_SIGNAL, durableJob } from '../workload/definitions.js';

/** How long the queue may take to heal itself after all faults, in ms, plus two leases. */
const SETTLED_AFTER = 8_000;
/**
 * How long a wrong mark of subscriptions may last, in ms, plus two leases. Workers mark them as handled once a minute,
 * also with the time of a clock that is behind.
 */
const MARKED_AFTER = 65_000;
/** The warning about such a mark. */
const UNMARKED = 'unhandled-subscriptions' satisfies HealthProblemKind;
/** What workers must mend, or what no run of theirs may leave. The other problems are caused by the faults. */
const MENDED: ReadonlySet<HealthProblemKind> = new Set([
  'orphaned-jobs',
  'abandoned-jobs',
  'dead-workers',
  'maintenance-overdue',
  'clock-went-back',
  'incomplete-groups',
  'blocked-keys',
  UNMARKED,
]);
/** How often the state is read, in ms. */
const INTERVAL = 200;
/** The maintenance tasks that workers run all the time. */
const TASKS = ['reaper', 'retrier'];

/** Waits until the queue has healed itself, while all workers run. Returns what it has not healed. */
export async function waitUntilSettled(
  dataSource: DataSource,
  queue: TableQueue,
  { lease }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<UnsettledState[]> {
  const started = performance.now();
  let since: number | undefined;
  let before: Progress | undefined;
  for (;;) {
    signal?.throwIfAborted();
    try {
      before ??= await answered('read the progress of maintenance', () => readProgress(dataSource));
      // A node of a cluster may have been joining again until now.
      since ??= performance.now();
      const waited = performance.now() - since - 2 * lease;
      const unsettled = await answered('read what has not healed', () => findUnsettled(dataSource, queue, before!));
      const isOnlyUnmarked = unsettled.every(({ text }) => text.startsWith(UNMARKED));
      if (unsettled.length === 0 || waited > (isOnlyUnmarked ? MARKED_AFTER : SETTLED_AFTER)) {
        return unsettled;
      }
    } catch (error) {
      if (performance.now() - started > ANSWER_TIMEOUT || error instanceof NoAnswerError) {
        throw error;
      }
    }
    await sleep(INTERVAL);
  }
}

/** The times that change while maintenance and schedules go on, by name. */
type Progress = ReadonlyMap<string, number | null>;

async function readProgress(dataSource: DataSource): Promise<Progress> {
  const tasks = await dataSource.getRepository(TableQueueMaintenance).findBy({ task: In(TASKS) });
  const schedules = await dataSource.getRepository(TableQueueSchedule).find();
  return new Map([
    ...TASKS.map((task) => [`the ${task}`, null] as const),
    ...tasks.map(({ task, nextRunAt }) => [`the ${task}`, nextRunAt] as const),
    ...schedules.map(({ name, lastFireAt }) => [`the schedule "${name}"`, lastFireAt] as const),
  ]);
}

async function findUnsettled(dataSource: DataSource, queue: TableQueue, before: Progress): Promise<UnsettledState[]> {
  return [
    ...findStopped(before, await readProgress(dataSource)),
    ...(await findWithoutJob(dataSource)),
    ...(await findWarnings(queue)),
  ];
}

function findStopped(before: Progress, now: Progress): UnsettledState[] {
  return [...now].flatMap(([name, time]) =>
    time === null || time === before.get(name)
      ? [{ invariant: 'maintenance-goes-on', text: `After all faults, ${name} has not run.` } as const]
      : [],
  );
}

/** Finds rows that belong to an unfinished job, without that job. */
async function findWithoutJob(dataSource: DataSource): Promise<UnsettledState[]> {
  const [keys, members, cancellations] = await Promise.all([
    dataSource.getRepository(TableQueueUnique).find(),
    dataSource.getRepository(TableQueueMember).findBy({ outcome: 'open' }),
    dataSource.getRepository(TableQueueCancellation).find(),
  ]);
  const rows = [
    ...keys.map(({ key, jobId }) => ({ what: `The unique key "${key}"`, jobId })),
    ...members.map(({ groupId, jobId }) => ({ what: `The open member of the group ${groupId}`, jobId })),
    ...cancellations.map(({ jobId }) => ({ what: 'A request to cancel', jobId })),
  ];
  const ids = [...new Set(rows.map(({ jobId }) => jobId))];
  const unfinished = { id: In(ids), finishedAt: 0 };
  const jobs = await dataSource.getRepository(TableQueueJob).find({ select: { id: true }, where: unfinished });
  const live = new Set(jobs.map(({ id }) => id));
  return rows
    .filter(({ jobId }) => !live.has(jobId))
    .map(({ what, jobId }) => ({ invariant: 'nothing-without-job', text: `${what} is left of the job ${jobId}.` }));
}

async function findWarnings(queue: TableQueue): Promise<UnsettledState[]> {
  const { problems } = await queue.health();
  const stale = problems.filter(({ kind }) => MENDED.has(kind));
  return stale.map(({ kind, message }) => ({ invariant: 'maintenance-goes-on', text: `${kind}: ${message}` }));
}

/** How far ahead the time of a job is that was stored while the clock was ahead, in ms. Delays are far shorter. */
const AHEAD = 600_000;

/**
 * Runs the jobs that were stored for a time of the wrong clock, as people must: their right time is stored nowhere. A
 * durable job that waits for a signal until such a time gets one.
 */
export async function runJobsAhead(dataSource: DataSource, queue: TableQueue): Promise<void> {
  const where = { state: 'scheduled', runAt: MoreThan(Date.now() + AHEAD) } as const;
  const jobs = await dataSource.getRepository(TableQueueJob).find({ select: { id: true, name: true }, where });
  if (jobs.length > 0) {
    await queue.jobs.runNow(jobs.map(({ id }) => id));
  }
  for (const { id } of jobs.filter(({ name }) => name === durableJob.name)) {
    await queue.signal(id, AWAITED_SIGNAL, 'the clock was wrong', { once: 'the clock was wrong' });
  }
}
