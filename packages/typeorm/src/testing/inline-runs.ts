import type { DataSource } from 'typeorm';

import { EnqueueNotifier } from '../queue/enqueue/enqueue-notifier.js';
import type { DrainedJob } from './drained-job.js';

/** Starts a drain after those before it. */
export type Drain = (onBegin: () => void) => Promise<readonly DrainedJob[]>;

/** Drains whenever an enqueue is committed, and makes its caller wait for the drain. */
export class InlineRuns {
  private readonly jobs: DrainedJob[] = [];
  private failure: { readonly error: unknown } | undefined;
  /** A drain that has not started yet: it also runs later jobs until then. */
  private waiting: Promise<void> | undefined;
  private stopListening: (() => void) | undefined;

  /** @param waitFor starts a run, and returns its promise if the caller of `enqueue` waits for it. */
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
   * Returns the attempts since the last call.
   *
   * @throws the error of a drain, except errors of handlers.
   */
  take(): DrainedJob[] {
    const { failure } = this;
    this.failure = undefined;
    if (failure) {
      throw failure.error;
    }
    return this.jobs.splice(0);
  }

  /** Never rejects: the caller's commit would seem to have failed. */
  private async run(): Promise<void> {
    try {
      this.jobs.push(...(await this.drain(() => (this.waiting = undefined))));
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
