import { type ModelJob, UNIT } from './model-job.js';

/** `burst` jobs at once, and one in each `per` units. */
interface Rate {
  readonly per: number;
  readonly burst: number;
}

/** Limits of the queue: running jobs, running jobs of a tenant, and the starts of both. */
export interface Limited {
  readonly concurrency: number | undefined;
  readonly perTenant: number | undefined;
  readonly rate: Rate | undefined;
  readonly tenantRate: Rate | undefined;
}

/** When the buckets of the queue and of each tenant are full again. */
type FullAt = Map<string, number>;

const QUEUE = '';
/** 2.7 - 2 is more than 0.7. */
const ROUNDING = 1e-6;

/** The limits of the queue, by the model. */
export class Limits {
  private set: Limited = { concurrency: undefined, perTenant: undefined, rate: undefined, tenantRate: undefined };
  private readonly fullAt: FullAt = new Map();

  constructor(private readonly model: { readonly now: number; readonly jobs: readonly ModelJob[] }) {}

  /** Replaces the limits. What was used stays used. */
  change(limited: Limited): void {
    this.set = limited;
  }

  /** Whether another job may start. */
  hasCapacity(): boolean {
    const { concurrency = Infinity, rate } = this.set;
    return this.running().length < concurrency && this.hasToken(QUEUE, rate);
  }

  /** Whether another job of a tenant may start. */
  hasTenantCapacity(tenant: string | undefined): boolean {
    if (tenant === undefined) {
      return true;
    }
    const own = this.running().filter((job) => job.tenant === tenant);
    return own.length < (this.set.perTenant ?? Infinity) && this.hasToken(tenant, this.set.tenantRate);
  }

  /** Counts a started job towards the rates. */
  countStart(tenant: string | undefined): void {
    this.take(QUEUE, this.set.rate);
    if (tenant !== undefined) {
      this.take(tenant, this.set.tenantRate);
    }
  }

  private hasToken(bucket: string, rate: Rate | undefined): boolean {
    return !rate || this.aheadOf(bucket, rate) <= (rate.burst - 1) * rate.per + ROUNDING;
  }

  private take(bucket: string, rate: Rate | undefined): void {
    if (rate) {
      this.fullAt.set(bucket, this.model.now + this.aheadOf(bucket, rate) + rate.per);
    }
  }

  /** In how many units the bucket is full: never longer than the limit takes to fill an empty one. */
  private aheadOf(bucket: string, { burst, per }: Rate): number {
    const { now } = this.model;
    const stored = (this.fullAt.get(bucket) ?? 0) - now;
    // Less than a second further ahead is left alone.
    const ahead = stored > burst * per + 1_000 / UNIT ? burst * per : stored;
    this.fullAt.set(bucket, now + ahead);
    return Math.max(0, ahead);
  }

  /** With the jobs of dead workers, until these are reaped. */
  private running() {
    return this.model.jobs.filter(({ state }) => state === 'running');
  }
}
