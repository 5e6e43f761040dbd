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
  private readonly open = new Set<Promise<unknown>>();
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

  /** A job has finished, and that is committed. Ignores jobs without a group. Never fails. */
  jobEnded(group: Buffer | null): void {
    if (group !== null) {
      const triggered = this.memberEnded(group).finally(() => this.open.delete(triggered));
      this.open.add(triggered);
    }
  }

  /** The same for jobs of several groups. Resolves when due callbacks are triggered, or left to the reaper. */
  async jobsEnded(groups: readonly Buffer[]): Promise<void> {
    await Promise.all(groups.map((group) => this.memberEnded(group)));
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    while (this.open.size > 0) {
      await Promise.all(this.open);
    }
  }

  /** A parent that another transaction has locked keeps only its own children's ends waiting. */
  private async memberEnded(group: Buffer): Promise<void> {
    await this.batcher.add(group);
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
