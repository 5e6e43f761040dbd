import { AsyncLocalStorage } from 'node:async_hooks';

import type { QueryRunner } from 'typeorm';

import type { DrainedJob } from './drained-job.js';

/** What one drain works on. */
export interface DrainRequest {
  /** The transaction of a test. */
  readonly queryRunner?: QueryRunner | undefined;
  /** Whether durable jobs run again after each step. */
  readonly restarts?: boolean;
}

/** A drain in progress, and the drains of other testing queues that its handlers have started. */
interface OpenDrain {
  readonly by: DrainSequence;
  readonly started: Promise<void>[];
  isOver: boolean;
}

const openDrain = new AsyncLocalStorage<OpenDrain>();

/** The drain that called. Undefined after its end, for example in a timer that a handler has left behind. */
function enclosingDrain(): OpenDrain | undefined {
  const drain = openDrain.getStore();
  return drain?.isOver ? undefined : drain;
}

/** Runs the drains of a testing queue one after another. */
export class DrainSequence {
  /** Resolves after the last drain. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly run: (request: DrainRequest) => Promise<readonly DrainedJob[]>) {}

  /** Whether the caller is a handler that a drain of this sequence runs. */
  get isInside(): boolean {
    return enclosingDrain()?.by === this;
  }

  /** Resolves after all drains, and the drains that they have started in other testing queues. */
  async next(request: DrainRequest, onBegin = () => {}): Promise<readonly DrainedJob[]> {
    const outer = enclosingDrain();
    const drain: OpenDrain = { by: this, started: [], isOver: false };
    const current = this.last.then(() => {
      onBegin();
      return openDrain.run(drain, () => this.run(request)).finally(() => (drain.isOver = true));
    });
    this.last = current.catch(() => undefined);
    const jobs = await current;
    if (outer) {
      outer.started.push(...drain.started);
      return jobs;
    }
    while (drain.started.length > 0) {
      await drain.started.shift();
    }
    return jobs;
  }

  /**
   * Starts an inline run, and returns its promise for the caller of `enqueue`. Inside a handler it returns none: a
   * drain of this queue runs the new jobs anyway, and two queues whose handlers waited for each other would deadlock.
   */
  startInline(run: () => Promise<void>): Promise<void> | undefined {
    const outer = enclosingDrain();
    if (!outer) {
      return run();
    }
    if (outer.by !== this) {
      outer.started.push(run());
    }
    return undefined;
  }

  /** Resolves when no drain runs. */
  async idle(): Promise<void> {
    await this.last;
  }
}
