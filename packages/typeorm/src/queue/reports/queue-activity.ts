import { uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import type { Engine } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import type { JobCount } from '../../store/base/job-count.js';
import { type AuditEntry, findActions } from '../../store/actions/find-actions.js';
import { findRunning } from '../../store/workers/find-running.js';
import { type JobSummary, findSummaries } from '../../store/reports/find-summaries.js';
import { findThroughput } from '../../store/reports/find-throughput.js';
import { findWorkers } from '../../store/workers/find-workers.js';
import { readClock } from '../../store/base/read-clock.js';
import { textOfCursor, cursorFromText } from '../jobs/job-search.js';
import { SPANS, type Throughput, firstSpan, throughputOf } from './throughput.js';

/** A worker that is registered. Times are by the database's clock. */
export interface WorkerActivity {
  /** The `owner` of the jobs it runs. */
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** That of @tablequeue/typeorm in its process. */
  readonly version: string;
  readonly queues: readonly string[];
  /** The weight of each of its queues: their shares of `totalConcurrency`. */
  readonly weights: Readonly<Record<string, number>>;
  readonly startedAt: Date;
  /** When it has renewed its lease last. */
  readonly seenAt: Date;
  /** Past where it has died and the reaper has yet to come. */
  readonly leaseEndsAt: Date;
  /** How many jobs it runs; counting ends at 1,000 in each of its queues. */
  readonly runningCount: JobCount;
  /** Some of them, up to `jobs` of each of its queues; `claimedAt` tells since when. */
  readonly running: readonly JobSummary[];
}

/** What `workers` takes. */
export interface WorkerActivityOptions {
  /** How many jobs of each worker and queue are told: 0 to 100. Default: 20. */
  readonly jobs?: number;
}

/** What `audit` takes. */
export interface AuditOptions {
  /** How many entries a page has at most: 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** The `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** A page of what was done by hand. */
export interface AuditPage {
  /** The last one comes first. */
  readonly entries: readonly AuditEntry[];
  /** For `after`; undefined where there are no more. */
  readonly next: string | undefined;
}

/** What goes on, and who has done what. Reads only, and locks nothing. */
export class QueueActivity {
  constructor(private readonly engine: Engine) {}

  /**
   * All workers of all processes, the oldest first, and what they run.
   *
   * @throws InvalidOptionError, UnknownOptionError
   */
  async workers(options: WorkerActivityOptions = {}): Promise<WorkerActivity[]> {
    assertKnownOptions(options, ['jobs']);
    const most = wholeNumber('jobs', options.jobs ?? 20, 0, 100);
    return this.engine.execute(
      function* (dialect) {
        const workers = yield* findWorkers(dialect);
        const running = yield* findRunning(dialect, workers, most);
        const jobs = yield* findSummaries(
          dialect,
          [...running.values()].flatMap(({ ids }) => ids),
          true,
        );
        return workers.map(({ id, host, pid, version, queues, weights, startedAt, seenAt, leaseUntil }) => {
          const own = running.get(id);
          return {
            id,
            host,
            pid,
            version,
            queues,
            weights,
            startedAt: new Date(startedAt),
            seenAt: new Date(seenAt),
            leaseEndsAt: new Date(leaseUntil),
            runningCount: own?.count ?? { count: 0, isCapped: false },
            running: (own?.ids ?? []).flatMap((job) => jobs.get(uuidFromBytes(job)) ?? []),
          };
        });
      },
      { purpose: 'look for workers', readOnly: true },
    );
  }

  /**
   * What was done by hand, with `by`: to jobs, queues and schedules. Page by page, whatever has been pruned left out.
   *
   * @throws InvalidOptionError, UnknownOptionError
   */
  async audit(options: AuditOptions = {}): Promise<AuditPage> {
    assertKnownOptions(options, ['limit', 'after']);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const start = options.after === undefined ? BROWSE_START : cursorFromText(options.after);
    const entries = await this.engine.execute(
      (dialect) => findActions(dialect, { doneAt: start.at, id: start.id }, limit),
      { purpose: 'read what was done by hand', readOnly: true },
    );
    const last = entries.length === limit ? entries.at(-1) : undefined;
    return { entries, next: last && textOfCursor({ at: last.doneAt.getTime(), id: uuidToBytes(last.id) }) };
  }

  /**
   * How much has ended: in the last hour by the minute, or in the last day by the quarter of an hour; of one queue, or of
   * each and all together. One statement, of a row for each queue and minute. Workers tell of what has ended every 10 s.
   *
   * @throws InvalidOptionError, InvalidNameError
   */
  async throughput(span: 'hour' | 'day', queue?: QueueName): Promise<Throughput> {
    if (!Object.hasOwn(SPANS, span)) {
      throw new InvalidOptionError('span', span, `one of ${Object.keys(SPANS).join(', ')}`);
    }
    if (queue !== undefined) {
      assertQueueName(queue);
    }
    return this.engine.execute(
      function* (dialect) {
        const now = yield* readClock(dialect);
        const rows = yield* findThroughput(dialect, firstSpan(now, span), SPANS[span].width, queue ?? null);
        return throughputOf(rows, now, span);
      },
      { purpose: 'read how much has ended', readOnly: true },
    );
  }
}
