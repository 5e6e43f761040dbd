import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';

import { LATE, firstWithin } from '../../async/first-within.js';
import type { Engine } from '../../engine/engine.js';
import { WorkerStateError } from '../../errors/index.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { HeldLock } from '../../store/base/locks/missing-workers.js';
import { deregisterWorker, registerWorker, renewLease } from '../../store/workers/worker-lease.js';
import type { StoredRequest, WorkerReport } from '../../store/workers/worker-report.js';
import type { WorkerQueue } from '../../store/workers/worker-queues.js';
import { AdvertisedLock, type LockAdvertisement } from './advertised-lock.js';
import type { WorkerReporter } from './worker-reporter.js';

/** The pause before a retry while the worker's row advertises a lock that it has lost, in ms. */
const RETRY_WITH_LOST_LOCK = 200;

/** The least wait for the answer to a renewal before another is sent, in ms; at most half of the remaining time. */
const MIN_PATIENCE = 1_000;
/** The worker's pool has connections for as many. */
const MAX_CONCURRENT_RENEWALS = 3;

/** A renewal that was answered. */
interface Renewal {
  readonly isHeld: boolean;
  readonly request: StoredRequest | undefined;
  readonly sentAt: number;
  readonly advertisement: LockAdvertisement;
}

/** Lower ids are reserved; 0 means that a job has no owner. */
const LOWEST_ID = 1024;
const HIGHEST_ID = 2 ** 32;
/** A random id is taken once in 4 billion times. After so many in a row something else is wrong. */
const ID_TRIES = 5;

/**
 * The worker's registration: one row and one renewal for the whole process, however many jobs it runs.
 *
 * The lease ends by the database's clock. The worker counts on a monotonic clock from the moment a renewal was sent, so
 * it never trusts the lease for longer than the database does. After two thirds of it the worker claims no more and
 * aborts its running jobs, before others take them over. See decision 0041.
 */
export class Lease {
  private current = 0;
  /** When the lease ends at the earliest, by the monotonic clock. */
  private endsAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;
  private stopped = false;
  private readonly advertisedLock = new AdvertisedLock();
  private mustRenewNow = false;

  /**
   * @param duration in ms.
   * @param lock returns the named lock that the worker holds now.
   * @param reporter makes what the worker reports with each renewal, and gets what was requested of it.
   * @param onLost called when the lease was lost, before the worker registers again.
   */
  constructor(
    private readonly engine: Engine,
    private readonly queues: readonly WorkerQueue[],
    readonly duration: number,
    private readonly lock: () => HeldLock | undefined,
    private readonly reporter: WorkerReporter,
    private readonly logger: QueueLogger,
    private readonly onLost: () => void,
  ) {}

  /** The worker's id, which marks the jobs it claims. */
  get owner(): number {
    return this.current;
  }

  /**
   * Whether the worker may claim. Not while its row may advertise a lock that it does not hold: others may be about to
   * end its lease.
   */
  get allowsClaims(): boolean {
    return this.isValid && !this.mayAdvertiseLostLock;
  }

  /** Whether the lease is not near its end: until then no other worker takes its jobs. */
  get isValid(): boolean {
    return this.current !== 0 && performance.now() < this.endsAt - this.duration / 3;
  }

  private get mayAdvertiseLostLock(): boolean {
    return this.current !== 0 && this.advertisedLock.mayDiffer(this.lock());
  }

  /** Registers the worker and keeps the lease renewed until `stop`. */
  async start(): Promise<void> {
    this.mustRenewNow = false;
    this.reporter.start();
    try {
      await this.register(this.reporter.takeReport());
    } catch (error) {
      this.reporter.stop();
      throw error;
    }
    this.scheduleRenewal(this.mustRenewNow ? 0 : this.duration / 3);
  }

  /** Resolves with the worker's id, after a lost lease with the new one; 0 where the registration failed. */
  async ownerWhenRegistered(): Promise<number> {
    if (this.current === 0) {
      await this.renewing;
    }
    return this.current;
  }

  /** The worker holds another lock, or none: its row must advertise that at once. */
  onLockChanged(): void {
    this.mustRenewNow = true;
    if (this.timer && !this.renewing) {
      this.scheduleRenewal(0);
    }
  }

  /** Stops renewing and deregisters the worker. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.reporter.stop();
    await this.renewing;
    const { current } = this;
    if (current !== 0) {
      this.current = 0;
      await this.engine.execute((dialect) => deregisterWorker(dialect, current), { purpose: 'deregister the worker' });
    }
  }

  private async register(report: WorkerReport): Promise<void> {
    for (let tries = 1; tries <= ID_TRIES; tries++) {
      const id = randomInt(LOWEST_ID, HIGHEST_ID);
      const sentAt = performance.now();
      const lock = this.lock();
      // A request that came with the loss of the lease has changed the state since the report.
      const { codeVersion, state, request } = this.reporter;
      const identity = { id, host: hostname(), pid: process.pid, codeVersion, queues: this.queues };
      const worker = { ...identity, lease: this.duration, lock, report: { ...report, state }, request };
      const options = { purpose: 'register the worker', repeatable: false };
      if (await this.engine.execute((dialect) => registerWorker(dialect, worker), options)) {
        this.current = id;
        this.endsAt = sentAt + this.duration;
        this.advertisedLock.onRegistered(lock);
        return;
      }
    }
    throw new WorkerStateError(
      `The worker was not registered: each of ${ID_TRIES} random ids is taken. Check the rows of the worker table.`,
    );
  }

  private scheduleRenewal(milliseconds: number): void {
    clearTimeout(this.timer);
    if (!this.stopped) {
      this.timer = setTimeout(() => {
        this.renewing = this.renewAndSchedule();
      }, milliseconds);
    }
  }

  private async renewAndSchedule(): Promise<void> {
    const next = await this.renew();
    this.renewing = undefined;
    this.scheduleRenewal(this.mustRenewNow ? 0 : next);
  }

  /** @returns in how many ms to renew again. */
  private async renew(): Promise<number> {
    this.mustRenewNow = false;
    const report = this.reporter.takeReport();
    try {
      if (this.current === 0) {
        await this.register(report);
      } else {
        const renewal = await this.sendRenewals(this.current, report);
        if (renewal?.request) {
          this.reporter.apply(renewal.request);
          // The row then shows what the worker does.
          this.mustRenewNow = true;
        }
        if (renewal?.isHeld) {
          this.endsAt = renewal.sentAt + this.duration;
          renewal.advertisement.confirm();
        } else {
          this.onLeaseLost();
          await this.register(report);
        }
      }
    } catch (error) {
      this.reporter.putBack(report);
      logError(this.logger, 'The lease could not be renewed', error);
      if (this.current !== 0 && !this.isValid) {
        this.onLeaseLost();
      }
      return Math.min(this.duration / 10, this.mayAdvertiseLostLock ? RETRY_WITH_LOST_LOCK : Infinity);
    }
    return Math.max(0, this.endsAt - (this.duration * 2) / 3 - performance.now());
  }

  /**
   * Renews the lease. While an answer is overdue and the lease is still valid, sends another renewal on a new
   * connection: the first connection may be dead without an error.
   *
   * @returns the renewal that was answered first; undefined where none was answered before the lease ended.
   */
  private async sendRenewals(id: number, report: WorkerReport): Promise<Renewal | undefined> {
    const tries: Promise<Renewal>[] = [];
    for (;;) {
      const sentAt = performance.now();
      const left = this.endsAt - this.duration / 3 - sentAt;
      // The first one is sent however late it is: if it is answered at once, nothing is lost.
      if (left <= 0 && tries.length > 0) {
        return undefined;
      }
      if (tries.length < MAX_CONCURRENT_RENEWALS) {
        tries.push(this.sendRenewal(id, report, sentAt, tries.length > 0));
      }
      const patience = Math.max(this.duration / 9, Math.min(MIN_PATIENCE, left / 2));
      const wait = tries.length < MAX_CONCURRENT_RENEWALS ? Math.min(left, patience) : left;
      const answer = await firstWithin(tries, Math.max(0, wait));
      if (answer !== LATE) {
        return answer;
      }
    }
  }

  private async sendRenewal(
    id: number,
    report: WorkerReport,
    sentAt: number,
    freshConnection: boolean,
  ): Promise<Renewal> {
    const advertisement = this.advertisedLock.advertise(this.lock());
    const known = this.reporter.request.requested;
    const renewal = { id, lease: this.duration, report, known, ...advertisement.columns };
    try {
      const result = await this.engine.execute((dialect) => renewLease(dialect, renewal), {
        purpose: 'renew the lease',
        freshConnection,
      });
      return { ...result, sentAt, advertisement };
    } finally {
      advertisement.ended();
    }
  }

  private onLeaseLost(): void {
    this.current = 0;
    this.logger.warn('The worker has lost its lease. It aborts its running jobs and registers again.');
    this.onLost();
  }
}
