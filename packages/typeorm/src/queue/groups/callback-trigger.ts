import type { Engine } from '../../engine/engine.js';
import { Batcher } from '../../async/batcher.js';
import { type QueueLogger, logError } from '../../logger.js';
import { triggerIfDue } from '../../maintenance/reaper/trigger-due-callbacks.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { allPromises } from '../../async/thenable.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';

/**
 * Releases what waits for groups when this process has ended members of them. What it does not get to, the reaper does,
 * in this process or another; also all of it where that could wait for a lock as long as the application's connections do.
 */
export class CallbackTrigger {
  private readonly batcher: Batcher<Buffer, undefined>;
  private readonly open = new Set<Promise<unknown>>();

  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly logger: QueueLogger,
  ) {
    // Members that end in one batch are told of in the same turn of the event loop: one look for all their groups.
    this.batcher = new Batcher((groups) => this.trigger(groups), MOST_IDS, setImmediate);
  }

  /** A job has ended, and that is committed. Nothing for a job of no group. Never fails. */
  jobEnded(group: Buffer | null): void {
    if (group !== null) {
      const released = this.batcher.add(group).finally(() => this.open.delete(released));
      this.open.add(released);
    }
  }

  /** The same for jobs of several groups; resolves when what was due is released, or left to the reaper. */
  async jobsEnded(groups: readonly Buffer[]): Promise<void> {
    await Promise.all(groups.map((group) => this.batcher.add(group)));
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.open.size > 0) {
      await Promise.all(this.open);
    }
  }

  private async trigger(groups: readonly Buffer[]): Promise<undefined[]> {
    if (!this.engine.dialect.canSkipLocked) {
      return groups.map(() => undefined);
    }
    const distinct = new Map(groups.map((group) => [group.toString('hex'), group]));
    try {
      const ready = await triggerIfDue(this.engine, [...distinct.values()]);
      await allPromises(noticesForReady(ready).map((ring) => this.notifier.notify(ring)));
    } catch (error) {
      logError(this.logger, 'What waits for groups of jobs could not be released and waits for the next reaper', error);
    }
    return groups.map(() => undefined);
  }
}
