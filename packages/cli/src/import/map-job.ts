import {
  type ImportedJob,
  LATEST_TIME,
  RESERVED_QUEUES,
  assertJobName,
  assertKey,
  assertQueueName,
  importedJobId,
} from '@tablequeue/typeorm/internal';

import { type BullJob, UNNAMED } from './bull-job.js';
import { isCompressed, mapPriority } from './map-priority.js';

/** Where a job is in Redis. */
export type BullState = 'waiting' | 'delayed' | 'prioritized' | 'failed' | 'waiting-children';

/** What a mapping depends on beside the job. */
export interface MapContext {
  readonly redisPrefix: string;
  readonly isBull4: boolean;
  readonly state: BullState;
  /** When the job is due, in ms. Waiting jobs keep their order by it. */
  readonly runAt: number;
  /** New names of jobs, by the names in Redis. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether the server accepts a statement with these texts. */
  readonly accepts: (texts: readonly string[]) => boolean;
}

/** A job that can be imported, and what will be different. */
export interface Mapped {
  readonly job: ImportedJob;
  readonly notes: readonly string[];
}

/** Why a job stays in Redis. */
export interface Refused {
  readonly refusal: string;
}

/** Maps a job of Bull to one of the queue. The reasons contain no payload. */
export function mapJob(bull: BullJob, context: MapContext): Mapped | Refused {
  const { redisPrefix, isBull4, state, runAt, names, accepts } = context;
  const name = names.get(bull.name) ?? (bull.name === UNNAMED ? bull.queue : bull.name);
  const refusal = whyRefused(bull, name, runAt);
  if (refusal !== undefined) {
    return { refusal };
  }
  const payload = bull.options?.preventParsingData ? JSON.stringify(bull.data) : bull.data;
  const error = state === 'failed' ? errorOf(bull) : undefined;
  if (!accepts([payload, error ?? ''])) {
    return {
      refusal:
        `its payload has ${Buffer.byteLength(payload)} bytes, more than max_allowed_packet of the database allows. ` +
        'Raise max_allowed_packet',
    };
  }
  const customId = /^\d+$/.test(bull.id) || bull.id.startsWith('repeat:') ? undefined : bull.id;
  const key = customId !== undefined && isKey(customId) ? customId : null;
  return {
    job: {
      id: importedJobId(bull.timestamp, ['bullmq', redisPrefix, bull.queue, bull.id, String(bull.timestamp)]),
      queue: bull.queue,
      name,
      key,
      payload,
      payloadVersion: 1,
      priority: mapPriority(bull.priority, isBull4),
      due: { at: runAt },
      unique: null,
      order: null,
      tenant: null,
      // A failed job had one, even if Bull has stored none.
      attempts: state === 'failed' ? Math.max(1, bull.attemptsMade) : bull.attemptsMade,
      ...(error !== undefined && { error }),
    },
    notes: notesOn(bull, customId !== undefined && key === null),
  };
}

function whyRefused(bull: BullJob, name: string, runAt: number): string | undefined {
  const { queue, data, options } = bull;
  if (!isValid(assertQueueName, queue)) {
    return `the name of its queue, ${JSON.stringify(queue)}, is not allowed here: 1 to 64 of the characters A-Z a-z 0-9 . _ : / -. Move its jobs to another queue of BullMQ first`;
  }
  if (RESERVED_QUEUES.has(queue)) {
    return `the name of its queue, "${queue}", is reserved here. Move its jobs to another queue of BullMQ first`;
  }
  if (!isValid(assertJobName, name)) {
    return `its name ${JSON.stringify(name)} is not allowed here: 1 to 128 of the characters A-Z a-z 0-9 . _ : / -. Give another one: --rename '${name}=new.name'`;
  }
  if (options === undefined) {
    return 'its options are not a JSON object. Remove the job, or repair the field "opts" of its hash';
  }
  if (!options.preventParsingData && !isJson(data)) {
    return 'its payload is not valid JSON. Remove the job, or repair the field "data" of its hash';
  }
  if (runAt >= LATEST_TIME) {
    return 'it is due after the year 2286, which is later than a job can be due here. Change its delay';
  }
  return undefined;
}

/** The last stack, which begins with the reason where there is one. */
function errorOf({ failedReason = 'unknown', stacks, finishedOn }: BullJob): string {
  const stack = stacks.at(-1);
  const text = stack?.includes(failedReason)
    ? stack
    : [failedReason, ...(stack === undefined ? [] : [stack])].join('\n');
  const time = finishedOn === undefined ? '' : `\n(failed in Bull at ${new Date(finishedOn).toISOString()})`;
  // A text that begins like an encoded value would be decoded.
  return `${text.startsWith('codec:') ? ' ' : ''}${text}${time}`;
}

/** What is different here, beside what applies to all jobs. */
function notesOn(bull: BullJob, hasLongId: boolean): readonly string[] {
  const { name, options = {}, priority, deduplicationId } = bull;
  return [
    ...(options.attempts || options.backoff
      ? ['"attempts" and "backoff" are ignored: set `retry` of the job definition']
      : []),
    ...(isCompressed(priority) ? ['a priority above 400 is mapped to 401 to 500, which several priorities share'] : []),
    ...(deduplicationId === undefined ? [] : ['its deduplication id is dropped: it holds no unique key here']),
    ...(hasLongId ? ['its jobId cannot be a key here (1 to 191 characters): it has none'] : []),
    ...(name === UNNAMED ? ['it has no name: it gets that of its queue, or that of --rename __default__=name'] : []),
  ];
}

function isKey(text: string): boolean {
  return isValid(assertKey, text);
}

function isValid(assert: (value: unknown) => void, value: unknown): boolean {
  try {
    assert(value);
    return true;
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
