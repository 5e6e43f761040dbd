import { type AnyEventDefinition, assertEventDefinition } from '../../definition/event-definition.js';
import { assertSubscriptionName } from '../../definition/names.js';
import { resolveSince } from '../../definition/subscription.js';
import { uuidFromBytes } from '../../definition/job-id.js';
import type { Duration } from '../../duration.js';
import { type Engine, executeIn, executeRead } from '../../engine/engine.js';
import { InvalidOptionError, UnknownSubscriptionError } from '../../errors/index.js';
import { assertKnownOptions, optionalTime, wholeNumber } from '../../options.js';
import { deleteSubscription } from '../../store/events/delete-subscription.js';
import { FIRST_SUBSCRIPTION, type SubscriptionRow, findSubscriptions } from '../../store/events/find-subscriptions.js';
import { type UnfinishedJobs, findUnfinished } from '../../store/events/find-unfinished.js';
import { findStoredSubscriptions } from '../../store/events/register-subscriptions.js';
import {
  type CallerTransaction,
  TRANSACTION_OPTIONS,
  type TransactionOptions,
  pickTransaction,
} from '../enqueue/caller-transaction.js';
import type { Enqueuer } from '../enqueue/enqueuer.js';
import { replayJob } from './replay-job.js';

/** A subscription of an event: see `eventHandler`. */
export interface EventSubscription {
  /** The name of the event. */
  readonly event: string;
  readonly name: string;
  /** The queue of its jobs. */
  readonly queue: string;
  /** The priority of its jobs. */
  readonly priority: number;
  /** When it was registered, by the database's clock. */
  readonly registeredAt: Date;
  /** Since when no worker has its handler; undefined if one had it within the last five minutes. */
  readonly unhandledSince: Date | undefined;
  /** How many of its jobs have not ended. Of each state, only the first 1,000 jobs of its queue are read. */
  readonly unfinished: number;
  /** Whether its queue has more jobs than were read: then `unfinished` is a minimum. */
  readonly isCapped: boolean;
  /** When the oldest unfinished job was stored, by the database's clock: how far it is behind. Undefined without one. */
  readonly oldestAt: Date | undefined;
}

/** Options of `subscriptions.list`. */
export interface SubscriptionListOptions {
  /** The size of a page: 1 to 1,000 subscriptions. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. Default: the first page. */
  readonly after?: string;
}

/** A page of subscriptions. */
export interface SubscriptionPage {
  /** The subscriptions of the page, by event. */
  readonly subscriptions: readonly EventSubscription[];
  /** Pass it as `after` to get the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Options of `subscriptions.replay`. */
export interface ReplayOptions extends TransactionOptions {
  /** From which time on: up to 100 years ago, or a time. */
  readonly from: Duration | Date;
  /** Before which time. Default: all events that have ended when the replay has read the others. */
  readonly to?: Date;
}

/** Lists, replays and removes the subscriptions of events. */
export class Subscriptions {
  constructor(
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly enqueuer: Enqueuer,
  ) {}

  /**
   * Lists the subscriptions, by event.
   *
   * @throws InvalidOptionError, UnknownOptionError
   */
  async list(options: SubscriptionListOptions = {}): Promise<SubscriptionPage> {
    assertKnownOptions(options, ['limit', 'after']);
    const limit = wholeNumber('limit', options.limit ?? 100, 1, 1_000);
    const after = options.after === undefined ? FIRST_SUBSCRIPTION : cursorFromText(options.after);
    const rows = await executeRead(this.engine, 'list subscriptions', (dialect) =>
      findSubscriptions(dialect, after, limit + 1),
    );
    const shown = rows.slice(0, limit);
    const unfinished = await executeRead(this.engine, 'count the jobs of subscriptions', (dialect) =>
      findUnfinished(dialect, shown),
    );
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const subscriptions = shown.map((row, index) => toSubscription(row, unfinished[index] as UnfinishedJobs));
    return { subscriptions, next: last && `${last.event} ${last.number}` };
  }

  /**
   * Gives one subscription the events of a time again: a job for each, also for those that it has had. It is a job of
   * its own, `@replay`, which `queue.find` and `queue.waitFor` know by its id.
   *
   * The time of an event is when all its jobs were stored, usually some milliseconds after its commit. Only events that
   * are still kept are replayed: see `retention` of the worker.
   *
   * @example
   * ```ts
   * await queue.subscriptions.replay(orderPaid, 'mailing', { from: '2h' });
   * ```
   *
   * @returns the id of the replay. Its result has the number of its `jobs`.
   * @throws UnknownSubscriptionError if the event has no such subscription.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError; OutsideTransactionError as `enqueue` does.
   */
  async replay(
    event: AnyEventDefinition,
    subscription: string,
    options: ReplayOptions,
  ): Promise<{ readonly id: string }> {
    assertEventDefinition('event', event);
    assertSubscriptionName(subscription);
    assertKnownOptions(options, ['from', 'to', ...TRANSACTION_OPTIONS]);
    const from = resolveSince('from', options.from);
    const to = optionalTime('to', options.to) ?? null;
    const handle = this.caller.findForChange(pickTransaction(options), `The replay of "${event.name}"`);
    const [known] = await executeIn(
      this.engine,
      handle,
      (dialect) => findStoredSubscriptions(dialect, [{ event: event.name, name: subscription }]),
      { purpose: 'find a subscription', readOnly: true },
    );
    if (!known) {
      throw new UnknownSubscriptionError(event.name, subscription);
    }
    const job = replayJob({ event: event.name, subscription, from, to, leftOut: null });
    await this.enqueuer.storePrepared(job, handle);
    return { id: uuidFromBytes(job.id) };
  }

  /**
   * Removes a subscription: events that are fanned out from now on store no job for it. Its present jobs stay; cancel
   * those that wait with `queue.jobs.cancel`. First deploy the code without the handler: a worker with it that starts
   * later registers the subscription again.
   *
   * @param event the event, or its name, for one that the code no longer has.
   * @returns whether there was one.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError; OutsideTransactionError as `enqueue` does.
   */
  async remove(
    event: AnyEventDefinition | string,
    subscription: string,
    transaction: TransactionOptions = {},
  ): Promise<boolean> {
    const name = typeof event === 'string' ? event : event.name;
    assertSubscriptionName(subscription);
    const handle = this.caller.findForChange(transaction, `The removal of the subscription "${subscription}"`);
    return executeIn(this.engine, handle, (dialect) => deleteSubscription(dialect, name, subscription), {
      purpose: 'remove a subscription',
    });
  }
}

function toSubscription(
  { number: _number, registeredAt, unhandledSince, ...row }: SubscriptionRow,
  { count, isCapped, oldestAt }: UnfinishedJobs,
): EventSubscription {
  return {
    ...row,
    registeredAt: new Date(registeredAt),
    unhandledSince: unhandledSince === null ? undefined : new Date(unhandledSince),
    unfinished: count,
    isCapped,
    oldestAt: oldestAt === null ? undefined : new Date(oldestAt),
  };
}

/** @throws InvalidOptionError for a text that no page has returned. */
function cursorFromText(text: unknown): Pick<SubscriptionRow, 'event' | 'number'> {
  const [, event, number] = /^(\S+) (\d{1,15})$/.exec(typeof text === 'string' ? text : '') ?? [];
  if (event === undefined) {
    throw new InvalidOptionError('after', text, 'the "next" of a page');
  }
  return { event, number: Number(number) };
}
