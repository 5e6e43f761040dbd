import type { Engine } from '../engine/engine.js';
import type { ClaimedJob } from '../store/base/jobs/claimed-job.js';
import { compareAndSet } from '../store/claim/compare-and-set.js';
import { updateReturning } from '../store/claim/update-returning.js';
import { BEFORE_ALL, LANE_HEAD } from '../store/base/order/sort-key.js';
import { type Signals, findSignals } from '../store/claim/signals.js';
import { type TenantLanes, findTenantLanes, distanceTo } from '../store/claim/tenant-lanes.js';
import { type ExpiryListener, expireFound } from '../maintenance/reaper/expire-jobs.js';
import { type JobHandler, isBatchHandler } from '../worker/handlers/job-handler.js';

/** How many lanes of tenants one claim reads. */
const LANES_PER_CLAIM = 200;

/**
 * Claims jobs as a worker does, with pauses, limits, priorities and the round robin of tenants.
 *
 * It updates and then selects, on every server, because that locks jobs by primary key only. A locking read of a lane
 * also locks the gap behind it: in a test's transaction until the rollback, and enqueues of parallel tests would wait.
 */
export class DrainClaims {
  /** The batch size of batch handlers, by job name. */
  private readonly batchSizes: ReadonlyMap<string, number>;
  /** How many jobs to claim at once, by queue. */
  private readonly limits = new Map<string, number>();
  /** The last lane of the round robin, by queue. */
  private readonly lastLanes = new Map<string, number>();
  private count = 0;

  constructor(
    private readonly engine: Engine,
    handlers: readonly JobHandler[],
    private readonly queues: readonly string[],
    private readonly owner: () => Promise<number>,
    private readonly onExpired: ExpiryListener,
  ) {
    this.batchSizes = new Map(handlers.filter(isBatchHandler).map((each) => [each.definition.name, each.batch.size]));
    for (const { definition, batch } of handlers) {
      this.limits.set(definition.queue, Math.max(batch?.size ?? 1, this.limits.get(definition.queue) ?? 1));
    }
  }

  /**
   * Claims the next job of a queue, or the jobs for one call of a batch handler. Jobs that run together are in one
   * list.
   */
  async next(queue: string): Promise<readonly (readonly ClaimedJob[])[]> {
    const { modes } = await this.signals();
    const mode = modes.get(queue) ?? 'open';
    if (mode === 'paused') {
      return [];
    }
    const lanes = await this.tenantLanesOf(queue);
    // Read last: the claim needs the current owner.
    const owner = await this.owner();
    const { jobs, expired, roundRobin } = await (this.engine.isSynchronous ? updateReturning : compareAndSet).claim(
      this.engine,
      {
        queue,
        owner,
        number: ++this.count,
        limit: this.limits.get(queue) ?? 1,
        from: BEFORE_ALL,
        isLimited: mode === 'limited',
        tenantLanes: lanes,
      },
    );
    if (roundRobin?.lastLane !== undefined) {
      this.lastLanes.set(queue, roundRobin.lastLane);
    }
    const hasExpired = expired.length > 0 && (await expireFound(this.engine, expired, this.onExpired)) > 0;
    return hasExpired && jobs.length === 0 ? this.next(queue) : this.callsOf(jobs);
  }

  /** Returns the ids of running jobs that were requested to end. */
  async cancelled(): Promise<readonly Buffer[]> {
    return (await this.signals()).cancelled;
  }

  private signals(): Promise<Signals> {
    return this.engine.execute((dialect) => findSignals(dialect, this.queues, false), {
      purpose: 'read signals',
      readOnly: true,
    });
  }

  /** Returns undefined if no job of a tenant is ready. */
  private async tenantLanesOf(queue: string): Promise<TenantLanes | undefined> {
    const last = this.lastLanes.get(queue) ?? 0;
    const { lanes, areAll } = await this.engine.execute(
      (dialect) => findTenantLanes(dialect, queue, last, LANES_PER_CLAIM, false),
      { purpose: 'find jobs of tenants', readOnly: true },
    );
    if (lanes.length === 0) {
      return undefined;
    }
    const withOthers = [...lanes, { lane: 0, from: LANE_HEAD }];
    return { lanes: withOthers.sort((a, b) => distanceTo(a.lane, last) - distanceTo(b.lane, last)), areAll };
  }

  private callsOf(jobs: readonly ClaimedJob[]): readonly (readonly ClaimedJob[])[] {
    const calls: ClaimedJob[][] = [];
    const filling = new Map<string, ClaimedJob[]>();
    for (const job of jobs) {
      const batchSize = this.batchSizes.get(job.name) ?? 1;
      const call = filling.get(job.name);
      if (call && call.length < batchSize) {
        call.push(job);
      } else {
        const begun = [job];
        filling.set(job.name, begun);
        calls.push(begun);
      }
    }
    return calls;
  }
}
