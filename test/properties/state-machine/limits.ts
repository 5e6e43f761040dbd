import type { ModelJob } from './model-job.js';

/** What may be set for the queue: how many jobs run, also of one tenant, and how many begin within so many units. */
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

  /** Whether another job may begin. */
  admit(): boolean {
    const { concurrency = Infinity, rate } = this.set;
    return this.running().length < concurrency && (!rate || (this.openWindow?.used ?? 0) < rate.jobs);
  }

  /** Whether another job of a tenant may. */
  hasRoom(tenant: string | undefined): boolean {
    const own = this.running().filter((job) => job.tenant === tenant);
    return tenant === undefined || own.length < (this.set.perTenant ?? Infinity);
  }

  /** A job has started. */
  charge(): void {
    this.window = this.openWindow ?? { since: this.model.now, used: 0 };
    this.window.used++;
  }

  private get openWindow() {
    const { window, set } = this;
    return window && set.rate && this.model.now < window.since + set.rate.per ? window : undefined;
  }

  /** Those of workers that have vanished, too, until they are freed. */
  private running() {
    return this.model.jobs.filter(({ state }) => state === 'running');
  }
}
