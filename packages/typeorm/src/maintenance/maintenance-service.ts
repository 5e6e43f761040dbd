import { repeatUntilDone } from '../async/batches.js';
import type { Engine } from '../engine/engine.js';
import type { Batch } from '../store/base/lane.js';
import { ensureTask, isTaskDue, becomeLeader } from '../store/workers/maintenance-leader.js';

/**
 * How much of an interval a turn lasts: less than all of it, or the next tick of the same process would come a moment
 * too early every other time.
 */
const TURN = 0.9;

/** Work on the tables that has to be done regularly, by one process at a time however many there are. */
export abstract class MaintenanceService<Result> {
  private known = false;

  /**
   * @param engine the engine of a worker, or of a queue.
   * @param onReady told of each queue in which jobs became ready, so that this process need not look for them.
   */
  constructor(
    protected readonly engine: Engine,
    protected readonly onReady: (queue: string) => void = () => undefined,
  ) {}

  /** Names the task in `tq_maintenance`. */
  abstract readonly task: string;

  /** In how many ms there is work to do, whatever the interval; Infinity where that is not known. */
  get nextRunIn(): number {
    return Infinity;
  }

  /** Calls the listener when there may be work to do now, until the returned function is called. */
  listen(_listener: () => void): () => void {
    return () => undefined;
  }

  /**
   * Does the work now. Safe to call at any time and in several processes at once.
   *
   * @param signal aborted when the process is to end: work that may take long breaks off then.
   */
  abstract runOnce(signal?: AbortSignal): Promise<Result>;

  /**
   * Does the work if no other process has done it within the interval.
   *
   * @param interval in ms.
   */
  async runIfDue(interval: number, signal?: AbortSignal): Promise<Result | undefined> {
    if (!this.known) {
      await this.engine.execute((dialect) => ensureTask(dialect, this.task), { purpose: 'register a task' });
      this.known = true;
    }
    const look = { purpose: 'look for a task', readOnly: true };
    if (!(await this.engine.execute((dialect) => isTaskDue(dialect, this.task), look))) {
      return undefined;
    }
    const take = { purpose: 'take a turn at a task', repeatable: false };
    const taken = await this.engine.execute((dialect) => becomeLeader(dialect, this.task, interval * TURN), take);
    return taken ? this.runOnce(signal) : undefined;
  }

  /**
   * Repeats what makes jobs of a queue ready, batch by batch, each committed by itself.
   *
   * @returns how many became ready.
   */
  protected async makeAllReady(queue: string, batch: () => Promise<Batch>): Promise<number> {
    let total = 0;
    await repeatUntilDone(async () => {
      const { moved, more } = await batch();
      total += moved;
      return more;
    });
    if (total > 0) {
      this.onReady(queue);
    }
    return total;
  }
}
