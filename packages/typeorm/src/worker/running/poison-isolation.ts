import { setImmediate } from 'node:timers/promises';

import type { ClaimMutex } from './claim-mutex.js';
import { RESCHEDULED, type AttemptResult } from '../completing/outcome.js';

/** For how long claims are kept back after the beginning of an attempt, in ms: what kills its process often does so soon. */
const FIRST_MOMENT = 100;

/**
 * Runs the jobs that must not crash once more: never two at a time in one process.
 *
 * When a process dies, nobody knows which of its jobs has killed it, so all of them are charged with a crash, and all of
 * them come back to the same worker together. Without this, one poison job would take its neighbours down with it.
 *
 * A job is one of the process until its outcome is committed, and from the commit of its claim on. So an attempt begins
 * when all outcomes of such jobs are written down, and no claim is under way that may bring another: those that were put
 * off together come back within a few ms, in several claims.
 */
export class PoisonIsolation {
  private isTaken = false;
  private readonly writing = new Set<Promise<void>>();

  constructor(private readonly gate: ClaimMutex) {}

  /** Runs an attempt, or puts it off while another one runs. */
  async run(attempt: () => AttemptResult | Promise<AttemptResult>): Promise<AttemptResult> {
    if (this.isTaken) {
      return RESCHEDULED;
    }
    this.isTaken = true;
    try {
      return await this.runAlone(attempt);
    } finally {
      this.isTaken = false;
    }
  }

  /** The outcome of such a job is being written down. */
  settling(settled: Promise<void>): void {
    this.writing.add(settled);
    void settled.then(() => this.writing.delete(settled));
  }

  private async runAlone(attempt: () => AttemptResult | Promise<AttemptResult>): Promise<AttemptResult> {
    for (;;) {
      // With the gate open: an outcome may wait for a transaction of the application's.
      await Promise.all(this.writing);
      const open = await this.gate.close();
      const timer = setTimeout(open, FIRST_MOMENT);
      try {
        // Jobs of the last claim come in this turn of the event loop, and are put off.
        await setImmediate();
        if (this.writing.size === 0) {
          return await attempt();
        }
      } finally {
        clearTimeout(timer);
        open();
      }
    }
  }
}
