import { setTimeout as sleep } from 'node:timers/promises';

import { closeWithin } from '@tablequeue/typeorm/internal';
import type { DataSource } from 'typeorm';

import { ANSWER_TIMEOUT } from '../answered.js';
import { isDoneWithin, monotonic } from '../timing.js';
import { BeatRow } from '../workload/verify-tables.js';

/** How long after a commit the next one follows, in ms. */
const INTERVAL = 250;

/** A time in which the server committed nothing, by `monotonic`. */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

/**
 * Commits rows to its own table at short intervals, to distinguish a server without CPU or disk from a bug. The queue
 * never locks that table, so a bug of the queue cannot delay it.
 */
export class ServerHeartbeat {
  readonly stalls: Stall[] = [];
  private isStopped = false;
  private readonly running: Promise<void>;

  /**
   * @param dataSource is connected without the proxy. `stop` destroys it.
   * @param threshold commits that take longer than this are recorded as stalls, in ms.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly threshold: number,
  ) {
    this.running = this.beat();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    // Without an answer, closing the connection ends its statement.
    await isDoneWithin(ANSWER_TIMEOUT, this.running);
    await closeWithin(this.dataSource, ANSWER_TIMEOUT);
  }

  private async beat(): Promise<void> {
    while (!this.isStopped) {
      const from = monotonic();
      // Only a fault makes the server unavailable, and that fault is recorded already.
      await this.dataSource
        .getRepository(BeatRow)
        .insert({})
        .catch(() => undefined);
      const to = monotonic();
      if (to - from > this.threshold) {
        this.stalls.push({ from, to });
      }
      await sleep(INTERVAL);
    }
  }
}
