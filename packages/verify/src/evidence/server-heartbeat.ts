import { setTimeout as sleep } from 'node:timers/promises';

import type { DataSource } from 'typeorm';

import { monotonic } from '../monotonic.js';
import { BeatRow } from '../workload/bench-tables.js';

/** How long after a beat the next follows, in ms. */
const REST = 250;

/** A time in which the server committed nothing, by `monotonic`. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

/**
 * Commits a row of a table of its own again and again, beside the queue: a server that has no processor or no disk is to
 * be told from a bug. Nothing of the queue locks that table, so no bug of the queue makes it wait.
 */
export class ServerHeartbeat {
  readonly stalls: Stall[] = [];
  private isStopped = false;
  private readonly running: Promise<void>;

  /**
   * @param dataSource beside the proxy. It is destroyed at the end.
   * @param least how long a commit has to take to be noted, in ms.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly least: number,
  ) {
    this.running = this.beat();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    await this.dataSource.destroy();
  }

  private async beat(): Promise<void> {
    while (!this.isStopped) {
      const from = monotonic();
      // A server that is away was sent away by a fault, which is noted.
      await this.dataSource
        .getRepository(BeatRow)
        .insert({})
        .catch(() => undefined);
      const to = monotonic();
      if (to - from > this.least) {
        this.stalls.push({ from, to });
      }
      await sleep(REST);
    }
  }
}
