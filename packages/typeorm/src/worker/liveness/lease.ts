import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';

import type { Engine } from '../../engine/engine.js';
import { WorkerStateError } from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { HeldLock } from '../../store/workers/missing-workers.js';
import { deregisterWorker, registerWorker, renewLease } from '../../store/workers/worker-lease.js';
import type { WorkerQueue } from '../../store/workers/worker-queues.js';
import { type LockStatement, AdvertisedLock } from './advertised-lock.js';

/** How soon to try again, in ms, while the worker's row names a lock that it has lost. */
const IN_DOUBT = 200;

/** How long to wait for the answer to a renewal at least before another one is sent, in ms; half of what is left at most. */
const LEAST_WAIT = 1_000;
/** How many renewals are under way at most: the worker has connections for as many. */
const MOST_TRIES = 3;

/** A renewal that has found the lease held: when it was sent, and what it said of the lock. */
interface Renewal {
  readonly sentAt: number;
  readonly statement: LockStatement;
}

/** Ids below are kept free, 0 means that a job has no owner. */
const LOWEST_ID = 1024;
const HIGHEST_ID = 2 ** 32;
/** A random id is taken once in four thousand million times; as often in a row something else is wrong. */
const ID_TRIES = 5;

/**
 * The worker's registration: one row and one renewal for the whole process, however many jobs it runs.
 *
 * The lease ends by the database's clock. Here a monotonic clock counts from the moment a renewal was sent, so it never
 * believes in the lease longer than the database does, and from two thirds of it on it claims nothing more and gives its
 * running jobs up: it stops by itself before others take over.
 */
export class Lease {
  private current = 0;
  /** By the monotonic clock: when the lease ends at the earliest. */
  private endsAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;
  private stopped = false;
  private readonly statedLock = new AdvertisedLock();
  private isStale = false;

  /**
   * @param duration in ms.
   * @param lock the named lock that the worker holds at this moment.
   * @param onLost called when the lease was lost, before the worker registers anew.
   */
  constructor(
    private readonly engine: Engine,
    private readonly queues: readonly WorkerQueue[],
    private readonly duration: number,
    private readonly lock: () => HeldLock | undefined,
    private readonly logger: QueueLogger,
    private readonly onLost: () => void,
  ) {}

  /** The worker's id, which marks the jobs it claims. */
  get owner(): number {
    return this.current;
  }

  /**
   * Whether the worker may claim. Not while others see a lock in its row that it does not hold: they may be about to end
   * its lease.
   */
  get isHeld(): boolean {
    return this.lasts && !this.isInDoubt;
  }

  /** Whether it has not come near its end: until then the worker's jobs are its own. */
  get lasts(): boolean {
    return this.current !== 0 && performance.now() < this.endsAt - this.duration / 3;
  }

  private get isInDoubt(): boolean {
    return this.current !== 0 && this.statedLock.isInDoubt(this.lock());
  }

  /** Registers the worker and keeps the lease renewed until `stop`. */
  async start(): Promise<void> {
    this.isStale = false;
    await this.register();
    this.renewIn(this.isStale ? 0 : this.duration / 3);
  }

  /** Resolves with the worker's id, also while a lease that was lost is replaced by another; 0 where that has failed. */
  async ownerWhenRegistered(): Promise<number> {
    if (this.current === 0) {
      await this.renewing;
    }
    return this.current;
  }

  /** The worker holds another lock, or none: its row has to say so at once. */
  lockChanged(): void {
    this.isStale = true;
    if (this.timer && !this.renewing) {
      this.renewIn(0);
    }
  }

  /** Stops renewing and forgets the worker. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.renewing;
    const { current } = this;
    if (current !== 0) {
      this.current = 0;
      await this.engine.execute((dialect) => deregisterWorker(dialect, current), { purpose: 'deregister the worker' });
    }
  }

  private async register(): Promise<void> {
    for (let tries = 1; tries <= ID_TRIES; tries++) {
      const id = randomInt(LOWEST_ID, HIGHEST_ID);
      const sentAt = performance.now();
      const lock = this.lock();
      const worker = { id, host: hostname(), pid: process.pid, queues: this.queues, lease: this.duration, lock };
      const options = { purpose: 'register the worker', repeatable: false };
      if (await this.engine.execute((dialect) => registerWorker(dialect, worker), options)) {
        this.current = id;
        this.endsAt = sentAt + this.duration;
        this.statedLock.registered(lock);
        return;
      }
    }
    throw new WorkerStateError(
      `The worker was not registered: each of ${ID_TRIES} random ids is taken. Look at what is in the table of workers.`,
    );
  }

  private renewIn(milliseconds: number): void {
    clearTimeout(this.timer);
    if (!this.stopped) {
      this.timer = setTimeout(() => {
        this.renewing = this.renewAndPlan();
      }, milliseconds);
    }
  }

  private async renewAndPlan(): Promise<void> {
    const next = await this.renew();
    this.renewing = undefined;
    this.renewIn(this.isStale ? 0 : next);
  }

  /** @returns in how many ms to renew it again. */
  private async renew(): Promise<number> {
    this.isStale = false;
    try {
      if (this.current === 0) {
        await this.register();
      } else {
        const renewal = await this.sendRenewals(this.current);
        if (renewal) {
          this.endsAt = renewal.sentAt + this.duration;
          renewal.statement.confirm();
        } else {
          this.lose();
          await this.register();
        }
      }
    } catch (error) {
      logError(this.logger, 'The lease could not be renewed', error);
      if (this.current !== 0 && !this.lasts) {
        this.lose();
      }
      return Math.min(this.duration / 10, this.isInDoubt ? IN_DOUBT : Infinity);
    }
    return Math.max(0, this.endsAt - (this.duration * 2) / 3 - performance.now());
  }

  /**
   * Renews the lease; where the answer does not come, once more beside that, on a new connection, as long as the lease is
   * still held. The connection that the first one went to may have died without a word, and what waits for an answer there
   * waits until the lease is given up.
   *
   * @returns the one that was answered first; undefined where the lease is lost.
   */
  private async sendRenewals(id: number): Promise<Renewal | undefined> {
    const tries: Promise<Renewal | undefined>[] = [];
    for (;;) {
      const sentAt = performance.now();
      const left = this.endsAt - this.duration / 3 - sentAt;
      // The first one is sent however late it is: where its answer comes at once, nothing is lost.
      if (left <= 0 && tries.length > 0) {
        return undefined;
      }
      if (tries.length < MOST_TRIES) {
        tries.push(this.sendRenewal(id, sentAt, tries.length > 0));
      }
      const patience = Math.max(this.duration / 9, Math.min(LEAST_WAIT, left / 2));
      const answer = await firstWithin(tries, Math.max(0, tries.length < MOST_TRIES ? Math.min(left, patience) : left));
      if (answer !== LATE) {
        return answer;
      }
    }
  }

  private async sendRenewal(id: number, sentAt: number, isSuspicious: boolean): Promise<Renewal | undefined> {
    const statement = this.statedLock.say(this.lock());
    const worker = { id, lease: this.duration, ...statement.marks };
    try {
      const isHeld = await this.engine.execute((dialect) => renewLease(dialect, worker), {
        purpose: 'renew the lease',
        isSuspicious,
      });
      return isHeld ? { sentAt, statement } : undefined;
    } finally {
      statement.ended();
    }
  }

  private lose(): void {
    this.current = 0;
    this.logger.warn('The worker has lost its lease. Its running jobs are given up; it registers anew.');
    this.onLost();
  }
}

const LATE = Symbol('late');

/** What the first of some promises comes to that does not fail; where none has in so many ms, that it is late. */
async function firstWithin<T>(promises: readonly Promise<T>[], milliseconds: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    // What has come while this process was busy is read before that.
    timer = setTimeout(() => setImmediate(resolve, LATE), milliseconds);
  });
  try {
    return await Promise.race([Promise.any(promises), late]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  } finally {
    clearTimeout(timer);
  }
}
