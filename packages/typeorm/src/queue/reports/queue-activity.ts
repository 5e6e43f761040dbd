import type { Codecs } from '../../codec/codecs.js';
import { uuidToBytes } from '../../definition/job-id.js';
import { assertQueueName } from '../../definition/names.js';
import type { QueueName } from '../../definition/queue-name.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import { assertKnownOptions, wholeNumber } from '../../options.js';
import { BROWSE_START } from '../../store/browse/find-page.js';
import { type AuditEntry, findActions } from '../../store/actions/find-actions.js';
import { findLanes } from '../../store/base/order/find-lanes.js';
import { findThroughput } from '../../store/reports/find-throughput.js';
import { findWorkers } from '../../store/workers/find-workers.js';
import { readClock } from '../../store/base/read-clock.js';
import { type JobTotals, JobTotalsReader } from '../totals/job-totals.js';
import { textOfCursor, cursorFromText } from '../jobs/job-search.js';
import { SPANS, type Throughput, firstSpan, throughputOf } from './throughput.js';
import { type WorkerActivity, readWorkerActivity } from './worker-activity.js';

/** Options of `activity.audit`. */
export interface AuditOptions {
  /** The size of a page: 1 to 1,000 entries. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
  /** Only entries of this action, such as `retry` or `pause`. Default: all. */
  readonly action?: string;
  /** Only entries of this person or program. Default: all. */
  readonly by?: string;
}

/** A page of the audit log. */
export interface AuditPage {
  /** The entries, the latest first. */
  readonly entries: readonly AuditEntry[];
  /** Pass it as `after` to get the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Reads workers, throughput and the audit log: `queue.activity`. It locks nothing. */
export class QueueActivity {
  /** @internal */
  readonly jobTotals: JobTotalsReader;

  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly codecs: Codecs,
  ) {
    this.jobTotals = new JobTotalsReader(engine);
  }

  /**
   * Counts all jobs by state, at a cost that does not grow with their number. Up to 5,000 unfinished jobs of a queue and
   * state are counted exactly. The others are counted in the background, which takes up to 10 % of the time of a
   * connection. It ends 30 s after the last call.
   */
  async totals(): Promise<JobTotals> {
    return this.jobTotals.read(await executeRead(this.engine, 'count jobs', findLanes));
  }

  /**
   * Returns the workers of all processes with their running jobs, the oldest worker first.
   *
   * @param options `jobs`: how many running jobs to return for each worker, 0 to 100. Default: 20.
   * @throws InvalidOptionError, UnknownOptionError for a wrong option.
   */
  async workers(options: { readonly jobs?: number } = {}): Promise<WorkerActivity[]> {
    assertKnownOptions(options, ['jobs']);
    const most = wholeNumber('jobs', options.jobs ?? 20, 0, 100);
    const found = await executeRead(this.engine, 'find workers', findWorkers);
    return readWorkerActivity(this.engine, this.codecs, found, most);
  }

  /**
   * Lists the audit log page by page: manual actions with `by` on jobs, queues, schedules, workers and errors. Pruned
   * entries are gone.
   *
   * @throws InvalidOptionError, UnknownOptionError for a wrong option.
   */
  async audit(options: AuditOptions = {}): Promise<AuditPage> {
    assertKnownOptions(options, ['limit', 'after', 'action', 'by']);
    const { action, by: who } = options;
    for (const [option, value] of Object.entries({ action, by: who })) {
      if (value !== undefined && typeof value !== 'string') {
        throw new InvalidOptionError(option, value, 'a text');
      }
    }
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const start = options.after === undefined ? BROWSE_START : cursorFromText(options.after);
    const entries = await executeRead(this.engine, 'read the audit log', (dialect) =>
      findActions(dialect, { doneAt: start.at, id: start.id }, limit, { action, who }),
    );
    const last = entries.length === limit ? entries.at(-1) : undefined;
    return { entries, next: last && textOfCursor({ at: last.doneAt.getTime(), id: uuidToBytes(last.id) }) };
  }

  /**
   * Returns how many attempts ended in the last hour, by minute, or in the last day, by quarter of an hour. Workers
   * write these numbers every 10 s.
   *
   * @param queue only this queue. Default: all queues together.
   * @throws InvalidOptionError for another span, InvalidNameError for an invalid queue name.
   */
  async throughput(span: 'hour' | 'day', queue?: QueueName): Promise<Throughput> {
    if (!Object.hasOwn(SPANS, span)) {
      throw new InvalidOptionError('span', span, `one of ${Object.keys(SPANS).join(', ')}`);
    }
    if (queue !== undefined) {
      assertQueueName(queue);
    }
    return executeRead(this.engine, 'read the throughput', function* (dialect) {
      const now = yield* readClock(dialect);
      const rows = yield* findThroughput(dialect, firstSpan(now, span), now, SPANS[span].width, queue ?? null);
      return throughputOf(rows, now, span);
    });
  }
}
