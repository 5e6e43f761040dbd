import type { DataSource } from 'typeorm';

import { Bell } from '../queue/bell.js';
import type { DrainedJob } from './drained-job.js';

/** A drain, which begins when those before it are over. */
export type Drain = (onBegin: () => void) => Promise<readonly DrainedJob[]>;

/** Drains whenever jobs were stored and committed, and has whoever has stored them wait for it. */
export class InlineRuns {
  private readonly jobs: DrainedJob[] = [];
  private failure: { readonly error: unknown } | undefined;
  /** A drain that has not begun: it runs whatever comes until then. */
  private waiting: Promise<void> | undefined;
  private stopListening: (() => void) | undefined;

  /** @param isWithin whether a drain runs what rings: that must not wait for itself, and its drain goes on behind it. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly isWithin: () => boolean,
    private readonly drain: Drain,
  ) {}

  start(): void {
    this.stopListening ??= Bell.of(this.dataSource).listen(() => {
      return this.isWithin() ? undefined : (this.waiting ??= this.run());
    });
  }

  stop(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }

  /**
   * The runs since the last time.
   *
   * @throws what went wrong, beside handlers.
   */
  take(): DrainedJob[] {
    const { failure } = this;
    this.failure = undefined;
    if (failure) {
      throw failure.error;
    }
    return this.jobs.splice(0);
  }

  /** Never rejects: a commit would seem to have failed that has not. */
  private async run(): Promise<void> {
    try {
      this.jobs.push(...(await this.drain(() => (this.waiting = undefined))));
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
