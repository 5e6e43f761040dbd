import { createHash } from 'node:crypto';

import {
  assertJobName,
  assertQueueName,
  assertScheduleName,
  assertUnreservedQueue,
  resolveScheduleOptions,
} from '@tablequeue/typeorm/internal';

import { type BullJob, UNNAMED, readBullJob } from './bull-job.js';
import type { JournalSchedule } from './journal.js';
import { mapPriority } from './map-priority.js';
import type { BullQueue, JobLocation } from './read-queue.js';
import type { Redis } from './redis-client.js';

/** A recurring job of Bull: a job scheduler, or a repeatable job of older versions. */
export interface BullSchedule {
  readonly key: string;
  /** The job that Bull has made for its next tick, if it still exists. */
  readonly next: BullJob | undefined;
  /** The hash of it; empty in Bull 4 and BullMQ 4. */
  readonly hash: Readonly<Record<string, string>>;
}

/** Reads the recurring jobs of a queue. Before BullMQ 5 their payload is only in the job of the next tick. */
export async function readSchedules(
  redis: Redis,
  queue: BullQueue,
  locations: readonly JobLocation[],
): Promise<BullSchedule[]> {
  const entries = await redis.zrange(`${queue.base}repeat`, 0, -1, 'WITHSCORES');
  const ticks = entries.length === 0 ? [] : locations.filter(({ id }) => id.startsWith('repeat:'));
  const schedules: BullSchedule[] = [];
  for (let index = 0; index < entries.length; index += 2) {
    const key = entries[index] ?? '';
    const end = `:${entries[index + 1]}`;
    let next: BullJob | undefined;
    for (const { id } of ticks.filter((location) => location.id.endsWith(end))) {
      const job = readBullJob(queue.name, id, await redis.hgetall(`${queue.base}${id}`));
      if (id === `repeat:${key}${end}` || job.scheduleKey === key) {
        next = job;
      }
    }
    schedules.push({ key, next, hash: await redis.hgetall(`${queue.base}repeat:${key}`) });
  }
  return schedules;
}

export interface MappedSchedule {
  readonly entry: JournalSchedule;
  readonly notes: readonly string[];
}

/** Maps a recurring job to a schedule. */
export function mapSchedule(
  { key, next, hash }: BullSchedule,
  queue: BullQueue,
  names: ReadonlyMap<string, string>,
  maxPayloadBytes: number,
): MappedSchedule | { readonly refusal: string } {
  const rule: Record<string, unknown> = { ...next?.options?.repeat, ...hash };
  const cron = text(rule['pattern'] ?? rule['cron']);
  const every = rule['every'] === undefined || cron !== undefined ? undefined : Number(rule['every']);
  const tz = cron === undefined ? undefined : text(rule['tz']);
  const name = hash['name'] || next?.name || UNNAMED;
  const jobName = names.get(name) ?? (name === UNNAMED ? queue.name : name);
  // A job scheduler without a payload stores none. Older versions store it in the job of the next tick only.
  const payload = hash['data'] ?? next?.data ?? ('ic' in hash ? '{}' : undefined);
  const options = cron === undefined ? { every: every ?? 0 } : { cron, ...(tz && { timeZone: tz }) };
  const refusal = firstRefusal([
    [
      payload === undefined,
      'the job of its next tick, which has its payload, does not exist. Add it to Bull again, or set a schedule here',
    ],
    ...(['limit', 'endDate'] as const).map(
      (option) =>
        [Boolean(rule[option]), `"${option}" does not exist here. Remove the option, or let Bull run it`] as const,
    ),
    [
      Number(new Date(dateIn(rule['startDate']))) > Date.now(),
      '"startDate" does not exist here, and it is in the future. Move it later',
    ],
    [payload !== undefined && !isJson(payload), 'its payload is not valid JSON'],
    [Buffer.byteLength(payload ?? '') > maxPayloadBytes, `its payload is larger than ${maxPayloadBytes} bytes`],
  ]);
  const wrong =
    refusal ??
    whyWrong(() => assertQueueName(queue.name)) ??
    whyWrong(() => assertUnreservedQueue('queue', queue.name)) ??
    whyWrong(() => assertJobName(jobName)) ??
    whyWrong(() => resolveScheduleOptions(options));
  if (wrong !== undefined) {
    return { refusal: wrong };
  }
  return {
    entry: {
      type: 'schedule',
      base: queue.base,
      key,
      nextId: next?.id ?? null,
      schedule: {
        name: scheduleName(queue.name, key, jobName),
        jobName,
        queue: queue.name,
        payload: payload ?? '{}',
        priority: mapPriority(next?.priority ?? 0, queue.isBull4),
        ...options,
      },
    },
    notes:
      cron !== undefined && !tz
        ? ['a cron pattern without "tz" is in UTC here; Bull uses the time zone of its processes']
        : every !== undefined
          ? ['the first tick of "every" is one interval after the import']
          : [],
  };
}

/** `reports.nightly`: schedules of all queues share their names here. Keys of old versions cannot be names. */
function scheduleName(queue: string, key: string, jobName: string): string {
  const name = `${queue}.${key}`;
  if (whyWrong(() => assertScheduleName(name)) === undefined) {
    return name;
  }
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  return `${`${queue}.${jobName}`.slice(0, 119)}.${hash}`;
}

function firstRefusal(rules: readonly (readonly [boolean, string])[]): string | undefined {
  return rules.find(([applies]) => applies)?.[1];
}

function whyWrong(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  }
}

function isJson(value: string): boolean {
  return whyWrong(() => JSON.parse(value) as unknown) === undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A time in ms, or a text. Nothing is in the past. */
function dateIn(value: unknown): number | string {
  return typeof value === 'string' && !/^\d+$/.test(value) ? value : Number(value ?? 0);
}
