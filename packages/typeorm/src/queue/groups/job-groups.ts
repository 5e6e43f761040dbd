import type { QueryRunner } from 'typeorm';

import { assertJobId, uuidFromBytes, uuidToBytes } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { InvalidOptionError } from '../../errors/index.js';
import { groupBy } from '../../group-by.js';
import { type GroupSnapshot, findGroup } from '../../store/reports/find-group.js';
import { type NewGroup, insertGroups } from '../../store/groups/insert-groups.js';
import type { NewJob } from '../../store/enqueue/new-job.js';
import { type EnqueueNotifier, noticeFor } from '../enqueue/enqueue-notifier.js';
import type { CallerTransaction, TransactionOptions } from '../enqueue/caller-transaction.js';
import type { EnqueuedJob } from '../enqueue/enqueued-job.js';
import type { Enqueuer } from '../enqueue/enqueuer.js';
import { GroupBuilder } from './group-builder.js';
import type { GroupOptions } from './group-options.js';

/** A group that was enqueued. */
export interface EnqueuedGroup {
  /** A UUIDv7: for `find`. */
  readonly id: string;
  /** Its members, in the order given. */
  readonly jobs: readonly EnqueuedJob[];
  /** The ids of the jobs that wait for it. */
  readonly onSuccess: string | undefined;
  readonly onFailure: string | undefined;
  readonly onComplete: string | undefined;
}

const ENQUEUE = { purpose: 'enqueue a group of jobs', atomic: true };

/**
 * Groups of jobs, and jobs that wait for them: a callback runs when all members have succeeded, when the first one has
 * not, or when all have ended.
 */
export class JobGroups {
  constructor(
    private readonly engine: Engine,
    private readonly caller: CallerTransaction,
    private readonly enqueuer: Enqueuer,
    private readonly notifier: EnqueueNotifier,
  ) {}

  /**
   * Stores a group, its jobs and its callbacks, all or none: with `manager` or `queryRunner` in the transaction open
   * there, otherwise in one of its own. Every payload and option is checked before the first is stored. A callback is
   * `waiting` until it is released, which happens once, however many processes end members at the same time.
   *
   * Unique jobs are refused: a clash would leave the group without its member.
   *
   * @throws InvalidPayloadError, UnserializablePayloadError, PayloadTooLargeError for a payload.
   * @throws InvalidOptionError, UnknownOptionError, InvalidNameError for the rest.
   * @throws OutsideTransactionError, MissingTablesError, DatabaseUnavailableError, DatabaseBusyError
   */
  async enqueue<const Inputs extends readonly unknown[], Succeeded = void, Failed = void, Done = void>(
    group: GroupOptions<Inputs, Succeeded, Failed, Done>,
    transaction: TransactionOptions = {},
  ): Promise<EnqueuedGroup> {
    const queryRunner = this.caller.findForChange(transaction, 'The enqueue of a group');
    if (queryRunner && !queryRunner.isTransactionActive) {
      throw new InvalidOptionError(
        'queryRunner',
        '[QueryRunner]',
        'one with an open transaction, begun through TypeORM, or left out: a group is stored as a whole',
      );
    }
    const builder = new GroupBuilder(this.enqueuer);
    const { id, members, callbacks } = await builder.add(group, '', undefined);
    await this.enqueuer.send(builder.jobs, (jobs) => this.store(builder.groups, jobs, queryRunner));
    return {
      id,
      jobs: members.map((job) => ({ id: uuidFromBytes(job), created: true, replaced: false })),
      onSuccess: textOf(callbacks.onSuccess),
      onFailure: textOf(callbacks.onFailure),
      onComplete: textOf(callbacks.onComplete),
    };
  }

  /**
   * Finds a group by its id, with the number of its members by outcome. Undefined where there is none, or none any more:
   * finished groups are deleted with the history.
   *
   * @throws InvalidOptionError for an id that is none, UnknownOptionError
   */
  async find(id: string, transaction: TransactionOptions = {}): Promise<GroupSnapshot | undefined> {
    assertJobId(id);
    const bytes = uuidToBytes(id);
    const queryRunner = this.caller.find(transaction);
    const purpose = 'find a group';
    return queryRunner
      ? this.engine.executeOn(queryRunner, (dialect) => findGroup(dialect, bytes), purpose)
      : this.engine.execute((dialect) => findGroup(dialect, bytes), { purpose, readOnly: true });
  }

  private async store(
    groups: readonly NewGroup[],
    jobs: readonly NewJob[],
    queryRunner: QueryRunner | undefined,
  ): Promise<undefined> {
    if (queryRunner) {
      await this.engine.executeOn(queryRunner, (dialect) => insertGroups(dialect, groups, jobs), ENQUEUE.purpose);
    } else {
      await this.engine.execute((dialect, again) => insertGroups(dialect, groups, jobs, again), ENQUEUE);
    }
    for (const [queue, own] of byQueue(jobs)) {
      const ring = noticeFor(queue, own);
      await (queryRunner ? this.notifier.notifyAfterCommit(queryRunner, ring) : this.notifier.notify(ring));
    }
  }
}

/** The jobs that are to be run without waiting for others. */
function byQueue(jobs: readonly NewJob[]): Map<string, NewJob[]> {
  return groupBy(
    jobs.filter(({ waits }) => !waits),
    ({ queue }) => queue,
  );
}

function textOf(id: Buffer | null): string | undefined {
  return id === null ? undefined : uuidFromBytes(id);
}
