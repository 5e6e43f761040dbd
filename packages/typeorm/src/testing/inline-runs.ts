import type { DataSource } from 'typeorm';

import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
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

  /** @param waitFor starts a run, if there is to be one, and returns what whoever rings waits for. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly waitFor: (run: () => Promise<void>) => Promise<void> | undefined,
    private readonly drain: Drain,
  ) {}

  start(): void {
    this.stopListening ??= EnqueueNotifier.of(this.dataSource).listen(() =>
      this.waitFor(() => (this.waiting ??= this.run())),
    );
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
