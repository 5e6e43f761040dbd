import type { ModelJob } from './model-job.js';

/** Limits of the queue: running jobs, running jobs of a tenant, and `jobs` started in each window of `per` units. */
export interface Limited {
  readonly concurrency: number | undefined;
  readonly perTenant: number | undefined;
  readonly rate: { readonly jobs: number; readonly per: number } | undefined;
}

/** The limits of the queue, by the model. */
export class Limits {
  private set: Limited = { concurrency: undefined, perTenant: undefined, rate: undefined };
  private window: { readonly since: number; used: number } | undefined;

  constructor(private readonly model: { readonly now: number; readonly jobs: readonly ModelJob[] }) {}

  /** Replaces the limits; the window of the rate starts again. */
  change(limited: Limited): void {
    this.set = limited;
    this.window = undefined;
  }

  /** Whether another job may start. */
  hasCapacity(): boolean {
    const { concurrency = Infinity, rate } = this.set;
    return this.running().length < concurrency && (!rate || (this.openWindow?.used ?? 0) < rate.jobs);
  }

  /** Whether another job of a tenant may start. */
  hasTenantCapacity(tenant: string | undefined): boolean {
    const own = this.running().filter((job) => job.tenant === tenant);
    return tenant === undefined || own.length < (this.set.perTenant ?? Infinity);
  }

  /** Counts a started job towards the rate. */
  countStart(): void {
    this.window = this.openWindow ?? { since: this.model.now, used: 0 };
    this.window.used++;
  }

  private get openWindow() {
    const { window, set } = this;
    return window && set.rate && this.model.now < window.since + set.rate.per ? window : undefined;
  }

  /** With the jobs of dead workers, until these are reaped. */
  private running() {
    return this.model.jobs.filter(({ state }) => state === 'running');
  }
}
