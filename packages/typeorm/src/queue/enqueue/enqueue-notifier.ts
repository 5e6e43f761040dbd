import type { DataSource, QueryRunner } from 'typeorm';

import { allPromises } from '../../async/thenable.js';
import {
  type ClientTransaction,
  type TransactionHandle,
  isOfClient,
  isOpen,
  queryRunnerOf,
} from '../../engine/transaction-handle.js';
import { groupBy } from '../../group-by.js';
import { laneOf } from '../../store/base/order/tenant-lane.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import { oncePerDataSource } from '../once-per-data-source.js';
import { TransactionEnds } from './transaction-ends.js';

/** Jobs that were stored in a queue. */
export interface EnqueueNotice {
  readonly queue: string;
  /** How many of them are ready and have no tenant. */
  readonly ready: number;
  /** The tenants' lanes in which others are ready: see `store/base/order/tenant-lane.ts`. */
  readonly lanes: readonly number[];
  /** The lowest priority among the ready ones without a tenant. */
  readonly lowestPriority: number;
  /** In about how many ms the first of the others is due; Infinity if there are none. */
  readonly dueIn: number;
}

/** If it returns a promise, the caller of `enqueue` waits for it: the testing queue does that, workers do not. */
type Listener = (notice: EnqueueNotice) => unknown;

/**
 * Notifies the workers of this process when it has committed an enqueue: never earlier, and not after a rollback. It
 * only saves time: workers also poll.
 */
export class EnqueueNotifier {
  static readonly of = oncePerDataSource((dataSource) => new EnqueueNotifier(dataSource));

  private readonly listeners = new Set<Listener>();
  /** By transaction: those of savepoints are with the others. */
  private readonly pending = new WeakMap<object, Map<string, EnqueueNotice>>();

  private constructor(private readonly dataSource: DataSource) {}

  /** Calls the listener for each notice, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @returns a promise if a listener returned one. */
  notify(notice: EnqueueNotice): Promise<unknown> | undefined {
    return allPromises([...this.listeners].map((listener) => listener(notice)));
  }

  /**
   * Notifies when the transaction of the handle is committed; at once without one.
   *
   * @returns the same as `notify`. After a commit, the commit waits for the promises of the listeners.
   */
  notifyAfterCommit(handle: TransactionHandle | undefined, notice: EnqueueNotice): Promise<unknown> | undefined {
    if (!isOpen(handle)) {
      return this.notify(notice);
    }
    const transaction = isOfClient(handle) ? handle : queryRunnerOf(handle);
    const notices = this.pending.get(transaction) ?? this.collectUntilCommit(transaction);
    const earlier = notices.get(notice.queue);
    notices.set(notice.queue, earlier ? merged(earlier, notice) : notice);
    return undefined;
  }

  private collectUntilCommit(transaction: QueryRunner | ClientTransaction): Map<string, EnqueueNotice> {
    const notices = new Map<string, EnqueueNotice>();
    this.pending.set(transaction, notices);
    TransactionEnds.of(this.dataSource).once(transaction, (committed) => {
      this.pending.delete(transaction);
      return committed ? allPromises([...notices.values()].map((notice) => this.notify(notice))) : undefined;
    });
    return notices;
  }
}

/** Jobs with an order are left out: they wait until they are the heads of their keys. */
export function noticeFor(
  queue: string,
  jobs: readonly Pick<NewJob, 'due' | 'priority' | 'tenant' | 'order'>[],
): EnqueueNotice {
  let ready = 0;
  const lanes = new Set<number>();
  let lowestPriority = Infinity;
  let dueIn = Infinity;
  for (const { due, priority, tenant, order } of jobs) {
    if (order) {
      continue;
    }
    const wait = 'at' in due ? due.at - Date.now() : due.delay;
    if (wait > 0) {
      dueIn = Math.min(dueIn, wait);
    } else if (tenant !== null) {
      lanes.add(laneOf(tenant));
    } else {
      ready++;
      lowestPriority = Math.min(lowestPriority, priority);
    }
  }
  return { queue, ready, lanes: [...lanes], lowestPriority, dueIn };
}

/** Returns the notices, one for each queue, for jobs that have just become ready. */
export function noticesForReady(jobs: readonly Pick<NewJob, 'queue' | 'priority' | 'tenant'>[]): EnqueueNotice[] {
  return [...groupBy(jobs, ({ queue }) => queue)].map(([queue, own]) => {
    return noticeFor(
      queue,
      own.map(({ priority, tenant }) => ({ priority, tenant, due: { delay: 0 }, order: null })),
    );
  });
}

function merged(a: EnqueueNotice, b: EnqueueNotice): EnqueueNotice {
  return {
    queue: a.queue,
    ready: a.ready + b.ready,
    lanes: [...new Set([...a.lanes, ...b.lanes])],
    lowestPriority: Math.min(a.lowestPriority, b.lowestPriority),
    dueIn: Math.min(a.dueIn, b.dueIn),
  };
}
