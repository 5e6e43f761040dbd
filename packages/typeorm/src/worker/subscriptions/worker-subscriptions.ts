import { EVENTS_QUEUE } from '../../definition/event-queue.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import { Ticker } from '../../maintenance/ticker.js';
import { replayJob } from '../../queue/jobs/replay-job.js';
import { markHandled } from '../../store/events/mark-handled.js';
import {
  type NewSubscription,
  differences,
  findStoredSubscriptions,
  registerSubscriptions,
} from '../../store/events/register-subscriptions.js';
import type { JobHandler } from '../handlers/job-handler.js';

/** How often a worker marks its subscriptions as handled, in ms. */
const MARK_EVERY = 60_000;

/** The queues that handlers work on. Those of a subscription also work on the queue of the events. */
export function handledQueues(handlers: readonly JobHandler[]): readonly string[] {
  const queues = new Set<string>(handlers.map(({ definition }) => definition.queue));
  if (handlers.some(({ definition }) => definition.subscription !== undefined)) {
    queues.add(EVENTS_QUEUE);
  }
  return [...queues];
}

/** The subscriptions of a worker. */
export class WorkerSubscriptions {
  /** What runs while the worker runs. */
  readonly tickers: readonly Ticker[];
  private readonly all: readonly NewSubscription[];
  /** By event and name: each is logged once. */
  private readonly warned = new Set<string>();

  constructor(
    private readonly engine: Engine,
    handlers: readonly JobHandler[],
    private readonly logger: QueueLogger,
  ) {
    this.all = handlers.flatMap(({ definition: { subscription, queue } }) => {
      return subscription ? { ...subscription, queue } : [];
    });
    const onError = (error: unknown) =>
      logError(logger, 'The subscriptions could not be marked as handled, which is tried again', error);
    this.tickers = this.all.length === 0 ? [] : [new Ticker(() => this.mark(), MARK_EVERY, onError)];
  }

  /** Stores those that are missing or have changed, and marks all as handled. Locks nothing if all are stored. */
  async register(): Promise<void> {
    if (this.all.length === 0) {
      return;
    }
    const stored = await executeRead(this.engine, 'read subscriptions', (dialect) =>
      findStoredSubscriptions(dialect, this.all),
    );
    const { missing, changed } = differences(this.all, stored);
    if (missing.length > 0 || changed.length > 0) {
      const options = { purpose: 'register subscriptions', atomic: true, withoutGaps: true };
      await this.engine.execute(
        (dialect) => registerSubscriptions(dialect, [...missing, ...changed], replayOf),
        options,
      );
    }
    await this.mark();
  }

  private async mark(): Promise<void> {
    const options = { purpose: 'mark subscriptions as handled' };
    for (const { event, name } of await this.engine.execute((dialect) => markHandled(dialect, this.all), options)) {
      // No name contains a space.
      const id = `${event} ${name}`;
      if (!this.warned.has(id)) {
        this.warned.add(id);
        this.logger.warn(
          `The subscription "${name}" of the event "${event}" was removed, but this process has its handler. It gets ` +
            'no events until a worker with the handler starts and registers it again.',
        );
      }
    }
  }
}

/** The replay of a new subscription that wants earlier events. */
function replayOf({ event, name: subscription, since: from }: NewSubscription, leftOut: number) {
  return from && replayJob({ event, subscription, from, to: null, leftOut });
}
