import { repeatUntilDone } from '../async/batches.js';
import type { Engine } from '../engine/engine.js';
import type { MovedJobs } from '../store/base/order/lane.js';
import { becomeLeader, insertTask, readTask } from '../store/workers/maintenance-leader.js';

/**
 * The fraction of an interval for which a process is leader. Less than 1: otherwise every other tick of the same
 * process would come slightly too early.
 */
const LEADERSHIP = 0.9;

/** Regular work on the tables, done by one process at a time, the leader. See docs/decisions/0045. */
export abstract class MaintenanceService<Result> {
  /**
   * @param engine the engine of a worker, or of a queue.
   * @param onReady called with each queue in which jobs became ready, so that this process need not poll for them.
   */
  constructor(
    protected readonly engine: Engine,
    protected readonly onReady: (queue: string) => void = () => undefined,
  ) {}

  /** The name of the task in `tq_maintenance`. */
  abstract readonly task: string;

  /** The time until there is work, in ms, whatever the interval; Infinity if that is unknown. */
  get nextRunIn(): number {
    return Infinity;
  }

  /** Calls the listener when there may be work, until the returned function is called. */
  listen(_listener: () => void): () => void {
    return () => undefined;
  }

  /**
   * Does the work now. Safe to call at any time and in several processes at once.
   *
   * @param signal stops long work when the process stops.
   */
  abstract runOnce(signal?: AbortSignal): Promise<Result>;

  /**
   * Does the work if no process has done it within the interval.
   *
   * @param interval in ms.
   * @returns undefined if this process is not the leader.
   */
  async runIfDue(interval: number, signal?: AbortSignal): Promise<Result | undefined> {
    const { engine, task } = this;
    const check = { purpose: 'check whether a task is due', readOnly: true };
    const state = await engine.execute((dialect) => readTask(dialect, task, interval), check);
    if (state === 'later') {
      return undefined;
    }
    if (state === 'missing') {
      await engine.execute((dialect) => insertTask(dialect, task), { purpose: 'register a task' });
    }
    const election = { purpose: 'become leader of a task', repeatable: false };
    const term = interval * LEADERSHIP;
    const isLeader = await engine.execute((dialect) => becomeLeader(dialect, task, interval, term), election);
    return isLeader ? this.runOnce(signal) : undefined;
  }

  /**
   * Repeats a batch that makes jobs of a queue ready, until there are no more. Each batch commits separately.
   *
   * @returns how many became ready.
   */
  protected async makeAllReady(queue: string, batch: () => Promise<MovedJobs>): Promise<number> {
    let total = 0;
    await repeatUntilDone(async () => {
      const { ids, more } = await batch();
      total += ids.length;
      return more;
    });
    if (total > 0) {
      this.onReady(queue);
    }
    return total;
  }
}
