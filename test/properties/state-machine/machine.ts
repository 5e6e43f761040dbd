import { isDeepStrictEqual } from 'node:util';

import { expect } from '@jest/globals';
import {
  type TableQueue,
  TableQueueErrorRow,
  TableQueueGroup,
  TableQueueHistory,
  TableQueueJob,
  TableQueueMember,
  TableQueueUnique,
  type TransactionOptions,
} from '@tablequeue/typeorm';
import type { TestingClock } from '@tablequeue/typeorm/testing';

import { waitFor } from '../../support/wait-for.js';
import type { HeldDrain } from './held-drain.js';
import { type ModelJob, type State, UNIT } from './model-job.js';
import type { Model } from './model.js';

/** In which transaction a command is carried out, and how that ends. */
export type Transaction = 'none' | 'commit' | 'rollback';

/** How long what was cancelled in a transaction may hold up its group behind the commit, in ms. */
const RELEASED_WITHIN = 5_000;

const ROLLBACK = new Error('rolled back');

/** The real state machine: a queue on a database. */
export class Machine {
  readonly workers: (HeldDrain | undefined)[] = [undefined, undefined];
  /** The states in which jobs have been. */
  readonly seen = new Set<State>();

  private constructor(
    readonly queue: TableQueue,
    readonly clock: TestingClock,
    private readonly startedAt: number,
  ) {}

  static async start(queue: TableQueue, clock: TestingClock): Promise<Machine> {
    const { takenAt } = await queue.jobs.list({ state: 'ready', limit: 1 });
    return new Machine(queue, clock, takenAt.getTime());
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

  /** Whether who ends a member of a group releases what waits for it. */
  get releasesAtOnce(): boolean {
    return this.queue.engine.dialect.passesOver;
  }

  /** Tells the model when its jobs became due: by this those that are released while a worker goes on stand in line. */
  async readTimes(model: Model): Promise<void> {
    const { dataSource } = this.queue;
    const [live, finished] = await Promise.all([
      dataSource.getRepository(TableQueueJob).find({ select: { id: true, runAt: true } }),
      dataSource.getRepository(TableQueueHistory).find({ select: { id: true, runAt: true } }),
    ]);
    model.dueAt = new Map([...live, ...finished].map(({ id, runAt }) => [id, runAt]));
  }

  /** The ids of live jobs by their payloads. */
  async idsByPayload(): Promise<ReadonlyMap<number, string>> {
    const live = await this.queue.dataSource.getRepository(TableQueueJob).find();
    return new Map(live.map(({ id, payload }) => [JSON.parse(payload!) as number, id]));
  }

  /** Expects the machine to be in the state of the model: all jobs there are, their errors, unique keys and groups. */
  async expectState(model: Model): Promise<void> {
    const { dataSource } = this.queue;
    await this.expectGroups(model);
    const [live, finished, errors, keys] = await Promise.all([
      dataSource.getRepository(TableQueueJob).find(),
      dataSource.getRepository(TableQueueHistory).find(),
      dataSource.getRepository(TableQueueErrorRow).find(),
      dataSource.getRepository(TableQueueUnique).find(),
    ]);
    const jobs = [...live, ...finished];
    const found = jobs.map((job) => ({
      ...pick(job),
      key: job.key ?? undefined,
      tenant: job.tenant ?? undefined,
      group: 'groupId' in job ? (job.groupId ?? undefined) : undefined,
      payload: JSON.parse(job.payload!) as unknown,
      crashes: 'crashes' in job ? job.crashes : undefined,
      due: this.unitOf(job.runAt),
      errors: errors.flatMap(({ jobId, attempt }) => (jobId === job.id ? attempt : [])).sort((a, b) => a - b),
    }));
    expect(found.sort(byId)).toEqual([...model.jobs].sort(byId).map((job) => wanted(model, job)));
    expect(errors.filter(({ jobId }) => !jobs.some(({ id }) => id === jobId))).toEqual([]);
    const held = keys.filter(({ lasts, windowUntil }) => lasts !== 'window' || this.unitOf(windowUntil!) > model.now);
    expect(new Map(held.map(({ key, jobId }) => [key, jobId]))).toEqual(model.keys.holders());
    jobs.forEach(({ id, runAt }) => (model.job(id)!.runAt = runAt));
    live.forEach(({ id, lane }) => (model.job(id)!.lane = lane));
    model.jobs.forEach(({ state }) => this.seen.add(state));
  }

  async close(): Promise<void> {
    // One by one: two whose leases are over would take each job from one another, again and again.
    for (const worker of this.workers) {
      await worker?.close();
    }
  }

  private async expectGroups(model: Model): Promise<void> {
    const wanted = model.groups.all
      .map(({ id, members, isFailureKnown, finishedAt }) => ({
        id,
        members: [...members].sort(([a], [b]) => (a < b ? -1 : 1)),
        isFailureKnown,
        finishedAt,
      }))
      .sort(byId);
    const isSame = async () => isDeepStrictEqual(await this.groups(), wanted);
    // Behind a commit they are released by and by. What they are like if they are not is told by what follows.
    await waitFor('groups are as they should be', isSame, RELEASED_WITHIN).catch(() => undefined);
    expect(await this.groups()).toEqual(wanted);
  }

  private async groups() {
    const { dataSource } = this.queue;
    const [groups, members] = await Promise.all([
      dataSource.getRepository(TableQueueGroup).find(),
      dataSource.getRepository(TableQueueMember).find(),
    ]);
    return groups
      .map(({ id, failedAt, finishedAt }) => ({
        id,
        members: members
          .flatMap(({ groupId, jobId, outcome }) => (groupId === id ? [[jobId, outcome] as const] : []))
          .sort(([a], [b]) => (a < b ? -1 : 1)),
        isFailureKnown: failedAt !== null,
        finishedAt: finishedAt === null ? undefined : this.unitOf(finishedAt),
      }))
      .sort(byId);
  }

  private unitOf(time: number): number {
    return Math.floor((time - this.startedAt) / UNIT);
  }
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
