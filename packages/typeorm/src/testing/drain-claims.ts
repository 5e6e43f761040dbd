import type { Engine } from '../engine/engine.js';
import type { ClaimedJob } from '../store/base/claimed-job.js';
import { compareAndSet } from '../store/claim/compare-and-set.js';
import { updateReturning } from '../store/claim/update-returning.js';
import { BEFORE_ALL, LANE_HEAD } from '../store/base/sort-key.js';
import { type Signals, findSignals } from '../store/claim/signals.js';
import { type TenantLanes, findTenantLanes, distanceTo } from '../store/claim/tenant-lanes.js';
import { type JobHandler, isBatchHandler } from '../worker/handlers/job-handler.js';

/** How many lanes of tenants are looked for in a claim. */
const LANES_PER_CLAIM = 200;

/**
 * Claims jobs as a worker does: pauses, limits, priorities and the turns of tenants count.
 *
 * By update-then-select, on every server: it locks jobs by primary key alone. A locking read of a lane would lock the gap
 * behind it too, in a test's transaction until that is rolled back, and every enqueue of a test beside it would wait.
 */
export class DrainClaims {
  private readonly queues: readonly string[];
  /** Of the batch handlers, by the name of their job. */
  private readonly batchSizes: ReadonlyMap<string, number>;
  /** By queue: how many jobs to claim at once. */
  private readonly limits = new Map<string, number>();
  /** By queue: the lane that had its turn last. */
  private readonly lastLanes = new Map<string, number>();
  private count = 0;

  constructor(
    private readonly engine: Engine,
    handlers: readonly JobHandler[],
    private readonly owner: () => Promise<number>,
  ) {
    this.batchSizes = new Map(handlers.filter(isBatchHandler).map((each) => [each.definition.name, each.batchSize]));
    for (const { definition, batchSize = 1 } of handlers) {
      this.limits.set(definition.queue, Math.max(batchSize, this.limits.get(definition.queue) ?? 1));
    }
    this.queues = [...this.limits.keys()];
  }

  /** The next jobs of a queue: one, or what a batch handler may get in a call. Those that run together stand together. */
  async next(queue: string): Promise<readonly (readonly ClaimedJob[])[]> {
    const { modes } = await this.signals();
    const mode = modes.get(queue) ?? 'open';
    if (mode === 'paused') {
      return [];
    }
    const lanes = await this.tenantLanesOf(queue);
    // Last: it is to be the owner's when the claim is made.
    const owner = await this.owner();
    const { jobs, roundRobin } = await (this.engine.isSynchronous ? updateReturning : compareAndSet).claim(
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
    return this.callsOf(jobs);
  }

  /** The ids of running jobs that are to end. */
  async cancelled(): Promise<readonly Buffer[]> {
    return (await this.signals()).cancelled;
  }

  private signals(): Promise<Signals> {
    return this.engine.execute((dialect) => findSignals(dialect, this.queues, false), {
      purpose: 'look for signals',
      readOnly: true,
    });
  }

  /** Undefined where no job of a tenant is ready. */
  private async tenantLanesOf(queue: string): Promise<TenantLanes | undefined> {
    const last = this.lastLanes.get(queue) ?? 0;
    const { lanes, areAll } = await this.engine.execute(
      (dialect) => findTenantLanes(dialect, queue, last, LANES_PER_CLAIM),
      { purpose: 'look for jobs of tenants', readOnly: true },
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
