import { forEachBatch } from '../../async/batches.js';
import { isEncoded } from '../../codec/encoded-text.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { findMutedErrors } from '../../store/actions/muted-errors.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { type ErrorIdentity, identifyError } from '../../store/base/error-fingerprint.js';
import { BROWSE_START, pageFinderFor } from '../../store/browse/find-page.js';
import { type FailureRow, findFailures } from '../../store/reports/find-failures.js';
import { resolveJobFilter } from '../jobs/job-filter.js';

/** An error that failed jobs share. */
export interface FailedError extends ErrorIdentity {
  /** How many of the examined jobs failed with it. */
  readonly count: number;
  /** When the first of these jobs failed. */
  readonly firstAt: Date;
  /** When the last of these jobs failed. */
  readonly lastAt: Date;
  /** The queues of these jobs, sorted. */
  readonly queues: readonly string[];
  /** The names of their definitions, sorted. */
  readonly names: readonly string[];
  /** The `version` of the definition when these jobs were enqueued, lowest first. */
  readonly payloadVersions: readonly number[];
  /** The id of the job that failed last. */
  readonly exampleId: string;
  /** When its mute ends; undefined if it is not muted. See `failed.mute`. */
  readonly mutedUntil: Date | undefined;
}

/** The result of `failed.errors`. */
export interface FailedErrors {
  /** The most frequent errors first, muted ones last. */
  readonly errors: readonly FailedError[];
  /** How many failed jobs were examined, the latest failure first. */
  readonly examined: number;
  /** Whether these are all failed jobs of the queue, or of all queues. */
  readonly isComplete: boolean;
  /** When the first of the examined jobs failed; undefined without jobs. */
  readonly since: Date | undefined;
  /** Errors beyond `limit`: how many, and how many jobs have them. */
  readonly omitted: { readonly errors: number; readonly jobs: number };
  /** How many examined jobs have an error that a codec has encoded. They are not part of `errors`. */
  readonly encoded: number;
}

/** Options of `failed.errors`. */
export interface FailedErrorsOptions {
  /** Only jobs of this queue. Default: all queues. */
  readonly queue?: QueueName;
  /** How many errors to return: 1 to 1,000. Default: 100. */
  readonly limit?: number;
}

/** The search ends after this many jobs, or after this time in ms. See docs/decisions/0141. */
const MOST_EXAMINED = 10_000;
const MOST_TIME = 2_000;

/** Groups the latest failed jobs by error. */
export async function readFailedErrors(engine: Engine, options: FailedErrorsOptions): Promise<FailedErrors> {
  assertKnownOptions(options, ['queue', 'limit']);
  const { queue } = options;
  const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
  if (queue !== undefined) {
    assertQueueName(queue);
  }
  const findPage = pageFinderFor(resolveJobFilter({ state: 'failed', ...(queue !== undefined && { queue }) }));
  const until = performance.now() + MOST_TIME;
  const found = new ErrorCounts();
  let isComplete = false;
  await forEachBatch(BROWSE_START, async (after) => {
    const { rows, end } = await executeRead(engine, 'find failed jobs', function* (dialect) {
      const page = yield* findPage(dialect, after, MOST_IDS);
      const ids = page.wanted.map(({ id }) => id);
      return { rows: yield* findFailures(dialect, ids), end: page.end };
    });
    rows.forEach((row) => found.add(row));
    isComplete = end === undefined;
    return found.examined < MOST_EXAMINED && performance.now() < until ? end : undefined;
  });
  const muted = await executeRead(engine, 'find muted errors', findMutedErrors);
  return { ...found.result(limit, muted), isComplete };
}

interface CountedError extends ErrorIdentity {
  count: number;
  first: number;
  last: FailureRow;
  readonly queues: Set<string>;
  readonly names: Set<string>;
  readonly payloadVersions: Set<number>;
}

class ErrorCounts {
  examined = 0;
  private readonly errors = new Map<string, CountedError>();
  private since = Infinity;
  private encoded = 0;

  add(row: FailureRow): void {
    const { error, queue, name, payloadVersion, failedAt } = row;
    this.examined++;
    this.since = Math.min(this.since, failedAt);
    if (isEncoded(error)) {
      this.encoded++;
      return;
    }
    const identity = identifyError(error);
    const known = this.errors.get(identity.fingerprint);
    const counted = known ?? startCount(identity, row);
    counted.count++;
    counted.first = Math.min(counted.first, failedAt);
    counted.last = failedAt > counted.last.failedAt ? row : counted.last;
    counted.queues.add(queue);
    counted.names.add(name);
    counted.payloadVersions.add(payloadVersion);
    this.errors.set(identity.fingerprint, counted);
  }

  /** @param muted the fingerprints of muted errors, each with the end of the mute in ms. */
  result(limit: number, muted: ReadonlyMap<string, number>): Omit<FailedErrors, 'isComplete'> {
    const isMuted = ({ fingerprint }: CountedError) => Number(muted.has(fingerprint));
    const sorted = [...this.errors.values()].sort(
      (a, b) => isMuted(a) - isMuted(b) || b.count - a.count || b.last.failedAt - a.last.failedAt,
    );
    const omitted = sorted.slice(limit);
    return {
      errors: sorted.slice(0, limit).map((error) => toPublic(error, muted.get(error.fingerprint))),
      examined: this.examined,
      since: this.examined === 0 ? undefined : new Date(this.since),
      omitted: { errors: omitted.length, jobs: omitted.reduce((sum, { count }) => sum + count, 0) },
      encoded: this.encoded,
    };
  }
}

function startCount(identity: ErrorIdentity, row: FailureRow): CountedError {
  return {
    ...identity,
    count: 0,
    first: row.failedAt,
    last: row,
    queues: new Set(),
    names: new Set(),
    payloadVersions: new Set(),
  };
}

function toPublic(error: CountedError, mutedUntil: number | undefined): FailedError {
  const { fingerprint, title, count, first, last, queues, names, payloadVersions } = error;
  return {
    fingerprint,
    title,
    count,
    firstAt: new Date(first),
    lastAt: new Date(last.failedAt),
    queues: [...queues].sort(),
    names: [...names].sort(),
    payloadVersions: [...payloadVersions].sort((a, b) => a - b),
    exampleId: last.id,
    mutedUntil: mutedUntil === undefined ? undefined : new Date(mutedUntil),
  };
}
