import type { DataSource, QueryRunner } from 'typeorm';

import { groupBy } from '../../group-by.js';
import type { NewJob } from '../../store/enqueue/new-job.js';
import { laneOf } from '../../store/base/tenant-lane.js';
import { oncePerDataSource } from '../once-per-data-source.js';
import { allPromises } from '../../async/thenable.js';
import { TransactionEnds } from './transaction-ends.js';

/** Jobs that were stored in one queue. */
export interface EnqueueNotice {
  readonly queue: string;
  /** How many of them are ready, without a tenant. */
  readonly ready: number;
  /** The lanes in which others are ready: see `store/tenant-lanes.ts`. */
  readonly lanes: readonly number[];
  /** The lowest priority among those. */
  readonly lowestPriority: number;
  /** In how many ms the first of the others is due, about; Infinity when there are none. */
  readonly dueIn: number;
}

/** Where it returns a promise, whoever has rung waits for that: the testing kit does, workers do not. */
type Listener = (ring: EnqueueNotice) => unknown;

/**
 * Tells the workers of this process when one of its own enqueues is committed: never before, and not after a rollback.
 * A hint, not a promise: workers also look by themselves.
 */
export class EnqueueNotifier {
  /** The one bell of a data source. */
  static readonly of = oncePerDataSource((dataSource) => new EnqueueNotifier(dataSource));

  private readonly listeners = new Set<Listener>();
  private readonly pending = new WeakMap<QueryRunner, Map<string, EnqueueNotice>>();

  private constructor(private readonly dataSource: DataSource) {}

  /** Calls the listener for each ring, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @returns what listeners want to be waited for; undefined where none does. */
  notify(ring: EnqueueNotice): Promise<unknown> | undefined {
    return allPromises([...this.listeners].map((listener) => listener(ring)));
  }

  /**
   * Rings when the transaction open on this query runner is committed; at once where none is open.
   *
   * @returns what `ring` returns; what listeners want to be waited for after a commit, the commit waits for.
   */
  notifyAfterCommit(queryRunner: QueryRunner, ring: EnqueueNotice): Promise<unknown> | undefined {
    if (!queryRunner.isTransactionActive) {
      return this.notify(ring);
    }
    const rings = this.pending.get(queryRunner) ?? this.collectUntilCommit(queryRunner);
    const earlier = rings.get(ring.queue);
    rings.set(ring.queue, earlier ? bothOf(earlier, ring) : ring);
    return undefined;
  }

  private collectUntilCommit(queryRunner: QueryRunner): Map<string, EnqueueNotice> {
    const rings = new Map<string, EnqueueNotice>();
    this.pending.set(queryRunner, rings);
    TransactionEnds.of(this.dataSource).once(queryRunner, (committed) => {
      this.pending.delete(queryRunner);
      return committed ? allPromises([...rings.values()].map((ring) => this.notify(ring))) : undefined;
    });
    return rings;
  }
}

/** The ring for jobs of one queue that were stored together. */
export function noticeFor(queue: string, jobs: readonly Pick<NewJob, 'due' | 'priority' | 'tenant'>[]): EnqueueNotice {
  let ready = 0;
  const lanes = new Set<number>();
  let lowestPriority = Infinity;
  let dueIn = Infinity;
  for (const { due, priority, tenant } of jobs) {
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

/** The rings, one for each queue, for jobs that have just become ready. */
export function noticesForReady(jobs: readonly Pick<NewJob, 'queue' | 'priority' | 'tenant'>[]): EnqueueNotice[] {
  return [...groupBy(jobs, ({ queue }) => queue)].map(([queue, own]) => {
    return noticeFor(
      queue,
      own.map(({ priority, tenant }) => ({ priority, tenant, due: { delay: 0 } })),
    );
  });
}

function bothOf(a: EnqueueNotice, b: EnqueueNotice): EnqueueNotice {
  return {
    queue: a.queue,
    ready: a.ready + b.ready,
    lanes: [...new Set([...a.lanes, ...b.lanes])],
    lowestPriority: Math.min(a.lowestPriority, b.lowestPriority),
    dueIn: Math.min(a.dueIn, b.dueIn),
  };
}
