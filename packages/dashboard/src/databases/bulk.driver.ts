import { setTimeout as sleep } from 'node:timers/promises';

import type { BulkOperation, BulkRequest, TableQueue } from '@tablequeue/typeorm';

/** How long a request waits for the end of a bulk operation, in ms: most are short. */
const PATIENCE = 1_000;

/**
 * Works on the bulk operations that the dashboard has started, also where no worker runs. If the process ends, a worker
 * goes on, or the next start of the dashboard.
 */
export class BulkDriver {
  private readonly stopping = new AbortController();
  private readonly open = new Set<Promise<unknown>>();

  constructor(private readonly queue: TableQueue) {}

  /** Starts an operation. @returns it at its end, or as it is after a second. */
  async start(request: BulkRequest): Promise<BulkOperation> {
    const started = await this.queue.bulk.start(request);
    const ended = await Promise.race([this.drive(started.id), sleep(PATIENCE, undefined, { ref: false })]);
    return ended ?? (await this.queue.bulk.get(started.id)) ?? started;
  }

  /** Goes on with the operations that run. Never fails: workers do the same. */
  async resume(): Promise<void> {
    try {
      const { operations } = await this.queue.bulk.list();
      operations.filter(({ state }) => state === 'running').forEach(({ id }) => void this.drive(id));
    } catch {
      // The database is away, or has no tables yet.
    }
  }

  /** Resolves when no step is under way any more. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.open);
  }

  private drive(id: string): Promise<BulkOperation | undefined> {
    const { signal } = this.stopping;
    const running = this.queue.bulk
      .run(id, { signal })
      .catch(() => undefined)
      .finally(() => this.open.delete(running));
    this.open.add(running);
    return running;
  }
}
