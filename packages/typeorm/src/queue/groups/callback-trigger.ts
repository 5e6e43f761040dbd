import { Batcher } from '../../async/batcher.js';
import { allPromises } from '../../async/thenable.js';
import { isChildSet } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { triggerIfDue } from '../../maintenance/reaper/trigger-due-callbacks.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { findFinishedParents } from '../../store/groups/find-parents.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';
import { SignalOffers } from '../jobs/signal-offers.js';

/**
 * Triggers the callbacks of groups whose members this process has finished. The reaper triggers the others; it also
 * triggers all of them on servers without SKIP LOCKED, where this could wait for a lock.
 */
export class CallbackTrigger {
  private readonly batcher: Batcher<Buffer, undefined>;
  private readonly parents: Batcher<Buffer, Buffer | undefined>;
  private readonly offers: SignalOffers;

  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly logger: QueueLogger,
  ) {
    this.offers = new SignalOffers(engine, notifier, logger);
    this.parents = new Batcher((sets) => this.findParents(sets), MOST_IDS, setImmediate);
    // Members that finish in one batch arrive in the same event-loop turn: one statement checks all their groups.
    this.batcher = new Batcher((groups) => this.trigger(groups), MOST_IDS, setImmediate);
  }

  /**
   * A member of a group has ended, and that is committed. Resolves when due callbacks are triggered, or left to the
   * reaper. Never fails.
   */
  async memberEnded(group: Buffer): Promise<void> {
    await this.batcher.add(group);
    // A parent that another transaction has locked keeps only its own children's ends waiting.
    const parent = isChildSet(group) ? await this.parents.add(group) : undefined;
    if (parent) {
      await this.offers.offer([parent]);
    }
  }

  /** Finds the durable jobs whose children have all ended. */
  private async findParents(sets: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
    try {
      const read = { purpose: 'find the parents of children', readOnly: true };
      const finished = await this.engine.execute((dialect) => findFinishedParents(dialect, sets), read);
      return sets.map((set) => finished.find(({ id }) => id.equals(set))?.parent);
    } catch (error) {
      logError(this.logger, 'The parents of children could not be found. The next reaper run wakes them up', error);
      return sets.map(() => undefined);
    }
  }

  private async trigger(groups: readonly Buffer[]): Promise<undefined[]> {
    if (!this.engine.dialect.canSkipLocked) {
      return groups.map(() => undefined);
    }
    const distinct = new Map(groups.map((group) => [group.toString('hex'), group]));
    try {
      const ready = await triggerIfDue(this.engine, [...distinct.values()]);
      await allPromises(noticesForReady(ready).map((notice) => this.notifier.notify(notice)));
    } catch (error) {
      logError(this.logger, 'The callbacks of groups could not be triggered. The next reaper run triggers them', error);
    }
    return groups.map(() => undefined);
  }
}
