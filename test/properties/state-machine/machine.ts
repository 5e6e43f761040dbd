import { expect } from '@jest/globals';
import { type TableQueue, TableQueueJob, type TransactionOptions } from '@tablequeue/typeorm';
import {
  LIVE_STATES,
  TableQueueErrorRow,
  TableQueueGroup,
  TableQueueMember,
  TableQueueUnique,
  isLive,
} from '@tablequeue/typeorm/internal';
import type { TestingClock } from '@tablequeue/typeorm/testing';
import { In } from 'typeorm';

import { expectConsistent } from '../../support/consistent-rows.js';
import { waitFor } from '../../support/wait-for.js';
import type { HeldDrain } from './held-drain.js';
import { type ModelJob, type State, UNIT } from './model-job.js';
import type { Model } from './model.js';

/** In which transaction a command is carried out, and how that ends. */
export type Transaction = 'none' | 'commit' | 'rollback';

const ROLLBACK = new Error('rolled back');

/** The real state machine: a queue on a database. */
export class Machine {
  readonly workers: (HeldDrain | undefined)[] = [undefined, undefined];
  /** The states in which jobs have been. */
  readonly seen = new Set<State>();
  private readonly since = performance.now();

  private constructor(
    readonly queue: TableQueue,
    readonly clock: TestingClock,
    private readonly startedAt: number,
  ) {}

  static async start(queue: TableQueue, clock: TestingClock): Promise<Machine> {
    const { takenAt } = await queue.jobs.list({ state: 'ready', limit: 1 });
    return new Machine(queue, clock, takenAt.getTime());
  }

  /** The time since its start, in ms. */
  get realTime(): number {
    return performance.now() - this.since;
  }

  async within<T>(transaction: Transaction, work: (options: TransactionOptions) => Promise<T>): Promise<T> {
    if (transaction === 'none') {
      return work({});
    }
    let done: { readonly result: T } | undefined;
    const committed = this.queue.dataSource.transaction(async (manager) => {
      done = { result: await work({ manager }) };
      if (transaction === 'rollback') {
        throw ROLLBACK;
      }
    });
    await committed.catch((error: unknown) => {
      if (error !== ROLLBACK) {
        throw error;
      }
    });
    return done!.result;
  }

  /**
   * Updates the model with the due times of jobs that wait for a group: jobs triggered while a worker runs are
   * ordered by this.
   */
  async readTimes(model: Model): Promise<void> {
    const { dataSource } = this.queue;
    const jobs = await dataSource.getRepository(TableQueueJob).find({ select: { id: true, runAt: true } });
    const times = new Map(jobs.map(({ id, runAt }) => [id, runAt]));
    for (const job of model.jobs.filter(({ state }) => state === 'waiting')) {
      job.runAt = times.get(job.id)!;
    }
  }

  /** The ids of live jobs by their payloads. */
  async idsByPayload(): Promise<ReadonlyMap<number, string>> {
    const live = await this.queue.dataSource.getRepository(TableQueueJob).findBy({ state: In(LIVE_STATES) });
    return new Map(live.map(({ id, payload }) => [JSON.parse(payload!) as number, id]));
  }

  /** Expects the machine to be in the state of the model: all jobs there are, their errors, unique keys and groups. */
  async expectState(model: Model): Promise<void> {
    const { dataSource } = this.queue;
    await this.expectGroups(model);
    const [jobs, errors, keys] = await Promise.all([
      dataSource.getRepository(TableQueueJob).find(),
      dataSource.getRepository(TableQueueErrorRow).find(),
      dataSource.getRepository(TableQueueUnique).find(),
    ]);
    const found = jobs.map((job) => ({
      ...pick(job),
      key: job.key ?? undefined,
      tenant: job.tenant ?? undefined,
      group: isLive(job.state) ? (job.groupId ?? undefined) : undefined,
      payload: JSON.parse(job.payload!) as unknown,
      crashes: isLive(job.state) ? job.crashes : undefined,
      due: this.unitOf(job.runAt),
      errors: errors.flatMap(({ jobId, attempt }) => (jobId === job.id ? attempt : [])).sort((a, b) => a - b),
    }));
    expect(found.sort(byId)).toEqual([...model.jobs].sort(byId).map((job) => wanted(model, job)));
    expect(errors.filter(({ jobId }) => !jobs.some(({ id }) => id === jobId))).toEqual([]);
    const held = keys.filter(({ lasts, windowUntil }) => lasts !== 'window' || this.unitOf(windowUntil!) > model.now);
    expect(new Map(held.map(({ key, jobId }) => [key, jobId]))).toEqual(model.keys.holders());
    jobs.forEach(({ id, runAt }) => (model.job(id)!.runAt = runAt));
    expectConsistent(jobs);
    expectLanes(jobs);
    jobs.forEach(({ id, tenantLane }) => (model.job(id)!.lane = tenantLane));
    model.jobs.forEach(({ state }) => this.seen.add(state));
  }

  async close(): Promise<void> {
    // One by one: two whose leases are over would take each job from one another, again and again.
    for (const worker of this.workers) {
      await worker?.close();
    }
  }

  /** Waits until the callbacks of groups are triggered: after a commit this takes a moment. */
  async untilCallbacksAreTriggered(model: Model): Promise<void> {
    const open = model.groups.all.flatMap(({ id, finishedAt }) => (finishedAt === undefined ? id : [])).sort();
    await waitFor('the callbacks of groups are triggered', async () => {
      const groups = await this.queue.dataSource.getRepository(TableQueueGroup).find();
      const failed = groups.filter(({ failedAt }) => failedAt !== null).length;
      const found = groups.flatMap(({ id, finishedAt }) => (finishedAt === null ? id : [])).sort();
      return found.join() === open.join() && failed === model.groups.all.filter((each) => each.isFailureKnown).length;
    });
  }

  private async expectGroups(model: Model): Promise<void> {
    const { dataSource } = this.queue;
    const [groups, members] = await Promise.all([
      dataSource.getRepository(TableQueueGroup).find(),
      dataSource.getRepository(TableQueueMember).find(),
    ]);
    const found = groups.map(({ id, failedAt, finishedAt }) => ({
      id,
      isFailureKnown: failedAt !== null,
      finishedAt: finishedAt === null ? undefined : this.unitOf(finishedAt),
    }));
    const wanted = model.groups.all.map(({ id, isFailureKnown, finishedAt }) => ({ id, isFailureKnown, finishedAt }));
    expect(found.sort(byId)).toEqual(wanted.sort(byId));
    const outcomes = model.groups.all.flatMap(({ id, members: own }) =>
      [...own].map((each) => [id, ...each].join(' ')),
    );
    expect(members.map(({ groupId, jobId, outcome }) => [groupId, jobId, outcome].join(' ')).sort()).toEqual(
      outcomes.sort(),
    );
  }

  private unitOf(time: number): number {
    return Math.floor((time - this.startedAt) / UNIT);
  }
}

/** Each tenant has one of its own. */
function expectLanes(jobs: readonly TableQueueJob[]): void {
  const lanes = new Map(jobs.map(({ tenant, tenantLane }) => [tenant, tenantLane]));
  expect(new Set(lanes.values()).size).toBe(lanes.size);
  const isWrong = ({ tenant, tenantLane }: TableQueueJob) =>
    tenantLane !== lanes.get(tenant) || (tenant === null) !== (tenantLane === 0);
  expect(jobs.filter(isWrong)).toEqual([]);
}

function pick({
  id,
  state,
  attempt,
  failures,
  priority,
}: Pick<ModelJob, 'id' | 'state' | 'attempt' | 'failures' | 'priority'>) {
  return { id, state, attempt, failures, priority };
}

function wanted(model: Model, job: ModelJob) {
  const { payload, key, tenant, due, errors } = job;
  const isLive = model.isLive(job);
  const [crashes, group] = isLive ? [job.crashes, job.group?.id] : [];
  return { ...pick(job), key, tenant, payload, crashes, group, due, errors };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
