import { Batcher } from '../../async/batcher.js';
import { retrySkipped } from '../../async/retry-skipped.js';
import { allPromises } from '../../async/thenable.js';
import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { MOST_IDS } from '../../store/base/chunks.js';
import { inKeyOrderOf } from '../../store/base/locks/fence.js';
import { offerSignals } from '../../store/steps/offer-signals.js';
import { type EnqueueNotifier, noticesForReady } from '../enqueue/enqueue-notifier.js';

/** Wakes up jobs for signals that this process has committed. The reaper does it for processes that have died. */
export class SignalOffers {
  /** Resolves with whether the job was skipped. */
  private readonly batcher: Batcher<Buffer, boolean>;

  constructor(
    private readonly engine: Engine,
    private readonly notifier: EnqueueNotifier,
    private readonly logger: QueueLogger,
  ) {
    this.batcher = new Batcher((ids) => this.offerNow(ids), MOST_IDS, setImmediate);
  }

  /** The signals to some jobs are committed. Resolves when their jobs are awake, or left to the reaper. Never fails. */
  async offer(ids: readonly Buffer[]): Promise<void> {
    await Promise.all(ids.map((id) => retrySkipped(() => this.batcher.add(id))));
  }

  private async offerNow(ids: readonly Buffer[]): Promise<boolean[]> {
    const distinct = new Map(ids.map((id) => [id.toString('hex'), id]));
    const inOrder = inKeyOrderOf([...distinct.values()], (id) => ({ id }));
    try {
      const options = { purpose: 'wake up jobs for signals', atomic: true };
      const { ready, skipped } = await this.engine.execute((dialect) => offerSignals(dialect, inOrder), options);
      await allPromises(noticesForReady(ready).map((notice) => this.notifier.notify(notice)));
      return ids.map((id) => skipped.some((each) => each.equals(id)));
    } catch (error) {
      logError(this.logger, 'Jobs could not be woken up for their signals. The next reaper run does it', error);
      return ids.map(() => false);
    }
  }
}
