import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import { type Engine, executeIn } from '../../engine/engine.js';
import type { TransactionHandle } from '../../engine/transaction-handle.js';
import { groupBy } from '../../group-by.js';
import { type GroupSnapshot, findGroup } from '../../store/reports/find-group.js';
import { type NewGroup, insertGroups } from '../../store/base/jobs/insert-groups.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { CallerTransaction, TransactionOptions } from '../enqueue/caller-transaction.js';
import type { EnqueuedJob } from '../enqueue/enqueued-job.js';
import type { Enqueuer } from '../enqueue/enqueuer.js';
import { GroupBuilder } from './group-builder.js';
import type { GroupOptions } from './group-options.js';

/** The result of `groups.enqueue`. */
export interface EnqueuedGroup {
  /** The id of the group, a UUIDv7, for `groups.find`. */
  readonly id: string;
  /** The members, in the given order. */
  readonly jobs: readonly EnqueuedJob[];
  /** The id of the callback `onSuccess`, if there is one. */
  readonly onSuccess: string | undefined;
  /** The id of the callback `onFailure`, if there is one. */
  readonly onFailure: string | undefined;
  /** The id of the callback `onComplete`, if there is one. */
  readonly onComplete: string | undefined;
}

const ENQUEUE = { purpose: 'enqueue a group of jobs', atomic: true };

/** Enqueues groups of jobs with callbacks, and finds them: `queue.groups`. */
export class JobGroups {
  /** @internal */
  constructor(
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly enqueuer: Enqueuer,
  ) {}

  /**
   * Stores a group with its jobs and callbacks, all or none, in the given transaction or in one of its own. Every
   * payload and option is checked before. A callback is `waiting` until it is triggered, exactly once.
   *
   * @example
   * ```ts
   * const { id } = await queue.groups.enqueue({
   *   jobs: images.map((image) => ({ definition: resize, payload: { image } })),
   *   onSuccess: { definition: publish, payload: ({ id }) => ({ group: id }) },
   * });
   * ```
   *
   * @throws InvalidPayloadError, UnserializablePayloadError, PayloadTooLargeError for a wrong payload.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for wrong options, and for a unique job: a
   *   conflict would leave the group without its member.
   * @throws QueueFullError if the queue of a job is full: see `QueueLimits.maxLength`.
   * @throws OutsideTransactionError, MissingTablesError, MissingPrivilegeError, DatabaseUnavailableError,
   *   DatabaseBusyError as `TableQueue.enqueue` does.
   */
  async enqueue<const Inputs extends readonly unknown[], Succeeded = void, Failed = void, Done = void>(
    group: GroupOptions<Inputs, Succeeded, Failed, Done>,
    transaction: TransactionOptions = {},
  ): Promise<EnqueuedGroup> {
    const handle = this.caller.findForChange(transaction, 'The enqueue of a group');
    const builder = new GroupBuilder(this.enqueuer);
    const { id, members, callbacks } = await builder.add(group, '', undefined);
    await this.enqueuer.admit(builder.jobs, handle);
    await this.enqueuer.send(builder.jobs, (jobs) => this.store(builder.groups, jobs, handle));
    return {
      id,
      jobs: members.map((job) => ({ id: uuidFromBytes(job), created: true, replaced: false })),
      onSuccess: textOf(callbacks.onSuccess),
      onFailure: textOf(callbacks.onFailure),
      onComplete: textOf(callbacks.onComplete),
    };
  }

  /**
   * Finds a group by its id, with the number of its members by outcome.
   *
   * @returns undefined if it does not exist, or was pruned.
   * @throws InvalidOptionError for an invalid id, UnknownOptionError.
   */
  async find(id: string, transaction: TransactionOptions = {}): Promise<GroupSnapshot | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    const options = { purpose: 'find a group', readOnly: true };
    return executeIn(this.engine, this.caller.find(transaction), (dialect) => findGroup(dialect, bytes), options);
  }

  private async store(
    groups: readonly NewGroup[],
    jobs: readonly NewJob[],
    handle: TransactionHandle | undefined,
  ): Promise<undefined> {
    await executeIn(this.engine, handle, (dialect, again) => insertGroups(dialect, groups, jobs, again), ENQUEUE);
    const queued = jobs.filter(({ waits }) => !waits);
    for (const [queue, own] of groupBy(queued, (job) => job.queue)) {
      await this.enqueuer.onStored(queue, own, handle);
    }
  }
}

function textOf(id: Buffer | null): string | undefined {
  return id === null ? undefined : uuidFromBytes(id);
}
