import { forEachBatch } from '../../async/batches.js';
import { isEncoded } from '../../codec/encoded-text.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { type ErrorIdentity, identifyError } from '../../store/browse/error-fingerprint.js';
import { BROWSE_START, pageFinderFor } from '../../store/browse/find-page.js';
import { type FailureRow, findFailures } from '../../store/reports/find-failures.js';
import { resolveJobFilter } from '../jobs/job-filter.js';

/** An error that failed jobs share. */
export interface FailedError extends ErrorIdentity {
  /** How many of the examined jobs failed with it. */
  readonly count: number;
  /** When the first and the last of these jobs failed. */
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The queues of these jobs, sorted. */
  readonly queues: readonly string[];
  /** The names of their definitions, sorted. */
  readonly names: readonly string[];
  /** The id of the job that failed last. */
  readonly exampleId: string;
}

/** The result of `failed.errors`. */
export interface FailedErrors {
  /** The most frequent errors first. */
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
  return { ...found.result(limit), isComplete };
}

interface CountedError extends ErrorIdentity {
  count: number;
  first: number;
  last: FailureRow;
  readonly queues: Set<string>;
  readonly names: Set<string>;
}

class ErrorCounts {
  examined = 0;
  private readonly errors = new Map<string, CountedError>();
  private since = Infinity;
  private encoded = 0;

  add(row: FailureRow): void {
    const { error, queue, name, failedAt } = row;
    this.examined++;
    this.since = Math.min(this.since, failedAt);
    if (isEncoded(error)) {
      this.encoded++;
      return;
    }
    const identity = identifyError(error);
    const known = this.errors.get(identity.fingerprint);
    const counted = known ?? { ...identity, count: 0, first: failedAt, last: row, queues: new Set(), names: new Set() };
    counted.count++;
    counted.first = Math.min(counted.first, failedAt);
    counted.last = failedAt > counted.last.failedAt ? row : counted.last;
    counted.queues.add(queue);
    counted.names.add(name);
    this.errors.set(identity.fingerprint, counted);
  }

  result(limit: number): Omit<FailedErrors, 'isComplete'> {
    const sorted = [...this.errors.values()].sort((a, b) => b.count - a.count || b.last.failedAt - a.last.failedAt);
    const omitted = sorted.slice(limit);
    return {
      errors: sorted.slice(0, limit).map(({ fingerprint, title, count, first, last, queues, names }) => ({
        fingerprint,
        title,
        count,
        firstAt: new Date(first),
        lastAt: new Date(last.failedAt),
        queues: [...queues].sort(),
        names: [...names].sort(),
        exampleId: last.id,
      })),
      examined: this.examined,
      since: this.examined === 0 ? undefined : new Date(this.since),
      omitted: { errors: omitted.length, jobs: omitted.reduce((sum, { count }) => sum + count, 0) },
      encoded: this.encoded,
    };
  }
}
