/** The options of a job, as Bull and BullMQ store them. BullMQ 5 and later shorten some names. */
export interface BullOptions {
  readonly jobId?: unknown;
  readonly attempts?: unknown;
  readonly backoff?: unknown;
  readonly delay?: unknown;
  readonly lifo?: unknown;
  readonly preventParsingData?: unknown;
  readonly repeat?: Readonly<Record<string, unknown>>;
  readonly fpof?: unknown;
  readonly cpof?: unknown;
  readonly idof?: unknown;
  readonly rdof?: unknown;
  readonly failParentOnFailure?: unknown;
  readonly removeDependencyOnFailure?: unknown;
  readonly [option: string]: unknown;
}

/** A job of Bull or BullMQ, from its hash. */
export interface BullJob {
  readonly queue: string;
  readonly id: string;
  readonly name: string;
  /** The payload as it is stored. */
  readonly data: string;
  /** Undefined if they are not valid JSON. */
  readonly options: BullOptions | undefined;
  /** When it was created, in ms. */
  readonly timestamp: number;
  /** 0 for none. */
  readonly priority: number;
  readonly attemptsMade: number;
  readonly failedReason: string | undefined;
  /** The stacks of its errors. */
  readonly stacks: readonly string[];
  /** When it has failed, in ms. */
  readonly finishedOn: number | undefined;
  /** The key of the hash of its parent. */
  readonly parentKey: string | undefined;
  readonly deduplicationId: string | undefined;
  /** The key of the recurring job that it is a tick of. */
  readonly scheduleKey: string | undefined;
}

/** The name that Bull gives to jobs without one. */
export const UNNAMED = '__default__';

/** Reads a job from its hash. */
export function readBullJob(queue: string, id: string, hash: Readonly<Record<string, string>>): BullJob {
  const options = objectIn(hash['opts'] ?? '{}');
  return {
    queue,
    id,
    name: hash['name'] || UNNAMED,
    data: hash['data'] ?? '{}',
    options,
    timestamp: wholeNumberIn(hash['timestamp']),
    // BullMQ before 5 stores it only in the options.
    priority: wholeNumberIn(hash['priority']) || wholeNumberIn(options?.['priority']),
    // The first is that of BullMQ 5 and later.
    attemptsMade: wholeNumberIn(hash['atm']) || wholeNumberIn(hash['attemptsMade']),
    failedReason: hash['failedReason'],
    stacks: stacksIn(hash['stacktrace']),
    finishedOn: wholeNumberIn(hash['finishedOn']) || undefined,
    parentKey: hash['parentKey'] || undefined,
    deduplicationId: hash['deid'] || undefined,
    scheduleKey: hash['rjk'] || textIn(options?.repeat?.['key']),
  };
}

function wholeNumberIn(text: unknown): number {
  const number = Math.trunc(Number(text));
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function objectIn(text: string): BullOptions | undefined {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as BullOptions) : undefined;
}

function stacksIn(text: string | undefined): readonly string[] {
  const value = parsed(text ?? '[]');
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
