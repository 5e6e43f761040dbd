import type { Engine } from '../engine/engine.js';
import { ensureTask, isTaskDue, takeTurn } from '../store/maintenance-turn.js';

/** Work on the tables that has to be done regularly, by one process at a time however many there are. */
export abstract class MaintenanceService<Result> {
  private known = false;

  /** @param engine the engine of a worker, or of a queue. */
  constructor(protected readonly engine: Engine) {}

  /** Names the task in `tq_maintenance`. */
  protected abstract readonly task: string;

  /** Does the work now. Safe to call at any time and in several processes at once. */
  abstract runOnce(): Promise<Result>;

  /**
   * Does the work if no other process has done it within the interval.
   *
   * @param interval in ms.
   */
  async runIfDue(interval: number): Promise<Result | undefined> {
    if (!this.known) {
      await this.engine.execute((dialect) => ensureTask(dialect, this.task), { purpose: 'register a task' });
      this.known = true;
    }
    const look = { purpose: 'look for a task', readOnly: true };
    if (!(await this.engine.execute((dialect) => isTaskDue(dialect, this.task), look))) {
      return undefined;
    }
    const take = { purpose: 'take a turn at a task', repeatable: false };
    const taken = await this.engine.execute((dialect) => takeTurn(dialect, this.task, interval), take);
    return taken ? this.runOnce() : undefined;
  }
}
