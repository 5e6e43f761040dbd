import { setImmediate } from 'node:timers/promises';

import type { RunOutcome } from './outcome.js';

/** How long a job is put off that must not run beside another one, in ms. */
const PUT_OFF: RunOutcome = { kind: 'snoozed', delay: 1_000, hasEnded: false };

/**
 * Runs the jobs that must not crash once more: never two at a time in one process.
 *
 * When a process dies, nobody knows which of its jobs has killed it, so all of them are charged with a crash, and all of
 * them come back to the same worker together. Without this, one poison job would take its neighbours down with it.
 */
export class LastChances {
  private isTaken = false;
  private readonly puttingOff = new Set<Promise<void>>();

  /** Runs an attempt, or puts it off while another one runs. */
  async run(attempt: () => Promise<RunOutcome>): Promise<RunOutcome> {
    if (this.isTaken) {
      return PUT_OFF;
    }
    this.isTaken = true;
    try {
      // Those of the same claim come in this turn of the event loop. One that is not written down as put off when the
      // process dies counts as crashed with it.
      await setImmediate();
      await Promise.all(this.puttingOff);
      return await attempt();
    } finally {
      this.isTaken = false;
    }
  }

  /** An outcome is being written down. */
  settling(outcome: RunOutcome, settled: Promise<void>): void {
    if (outcome === PUT_OFF) {
      this.puttingOff.add(settled);
      void settled.then(() => this.puttingOff.delete(settled));
    }
  }
}
