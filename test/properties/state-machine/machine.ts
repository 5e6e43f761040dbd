import { expect } from '@jest/globals';
import {
  type TableQueue,
  TableQueueErrorRow,
  TableQueueHistory,
  TableQueueJob,
  TableQueueUnique,
  type TransactionOptions,
} from '@tablequeue/typeorm';
import type { TestingClock } from '@tablequeue/typeorm/testing';

import type { HeldDrain } from './held-drain.js';
import { type Model, type ModelJob, type State, UNIT } from './model.js';

/** In which transaction a command is carried out, and how that ends. */
export type Transaction = 'none' | 'commit' | 'rollback';

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

  /** Expects the machine to be in the state of the model: all jobs there are, their errors and their unique keys. */
  async expectState(model: Model): Promise<void> {
    const { dataSource } = this.queue;
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
      payload: JSON.parse(job.payload!) as unknown,
      crashes: 'crashes' in job ? job.crashes : undefined,
      due: this.unitOf(job.runAt),
      errors: errors.flatMap(({ jobId, attempt }) => (jobId === job.id ? attempt : [])).sort((a, b) => a - b),
    }));
    expect(found.sort(byId)).toEqual([...model.jobs].sort(byId).map((job) => wanted(model, job)));
    expect(errors.filter(({ jobId }) => !jobs.some(({ id }) => id === jobId))).toEqual([]);
    const held = keys.filter(({ lasts, windowUntil }) => lasts !== 'window' || this.unitOf(windowUntil!) > model.now);
    expect(new Map(held.map(({ key, jobId }) => [key, jobId]))).toEqual(model.keys.holders());
    jobs.forEach(({ id, runAt }) => (model.jobs.find((job) => job.id === id)!.runAt = runAt));
    model.jobs.forEach(({ state }) => this.seen.add(state));
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(async (worker) => worker?.close()));
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
  const { payload, key, due, errors } = job;
  return { ...pick(job), key, payload, crashes: model.isLive(job) ? job.crashes : undefined, due, errors };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
