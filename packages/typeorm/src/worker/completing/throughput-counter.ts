import type { Engine } from '../../engine/engine.js';
import { type QueueLogger, logError } from '../../logger.js';
import type { ThroughputDelta } from '../../store/base/jobs/throughput-delta.js';
import { storeThroughput } from '../../store/complete/store-throughput.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';
import { readClock } from '../../store/base/read-clock.js';
import type { AttemptResult } from './outcome.js';

/** The time between two writes, in ms. */
const INTERVAL = 10_000;

type Counts = { -readonly [Property in keyof ThroughputDelta]: ThroughputDelta[Property] };

/**
 * Counts the attempts that end in this worker and adds the counts to the table every 10 s, if there are any. Counts
 * that a process has not written when it dies are lost: nothing but reports depends on them. Costs 0.2 µs a job
 * (Node.js 20, 2026-11-21).
 */
export class ThroughputCounter {
  private counts = new Map<string, Counts>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly logger: QueueLogger,
  ) {}

  /**
   * Counts an attempt whose outcome is stored.
   *
   * @param startedAt by `performance.now()`, as is `endedAt`.
   */
  countAttempt({ queue, runAt }: ClaimedJob, outcome: AttemptResult['kind'], startedAt: number, endedAt: number): void {
    if (outcome !== 'succeeded' && outcome !== 'failed' && outcome !== 'retried') {
      return;
    }
    const counts = this.countsOf(queue);
    // By this process's clock; `corrected` adjusts it to the database's.
    const latency = performance.timeOrigin + startedAt - runAt;
    const runTime = endedAt - startedAt;
    counts[outcome]++;
    counts.latencySum += latency;
    counts.latencyMax = Math.max(counts.latencyMax, latency);
    counts.runSum += runTime;
    counts.runMax = Math.max(counts.runMax, runTime);
    this.timer ??= setTimeout(() => void this.flush(), INTERVAL);
  }

  /** Writes the counts. Never rejects: counts that the database refuses are logged and dropped. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.writing;
    const { counts } = this;
    if (counts.size > 0) {
      this.counts = new Map();
      this.writing = this.addCounts([...counts.values()]);
      await this.writing;
    }
  }

  private countsOf(queue: string): Counts {
    let counts = this.counts.get(queue);
    if (!counts) {
      counts = {
        queue,
        succeeded: 0,
        failed: 0,
        retried: 0,
        expired: 0,
        latencySum: 0,
        latencyMax: -Infinity,
        runSum: 0,
        runMax: 0,
      };
      this.counts.set(queue, counts);
    }
    return counts;
  }

  private async addCounts(deltas: readonly Counts[]): Promise<void> {
    try {
      const sentAt = performance.now();
      const now = await this.engine.execute(readClock, { purpose: 'store throughput counts', readOnly: true });
      const ahead = now - performance.timeOrigin - (sentAt + performance.now()) / 2;
      const byDatabase = deltas.map((each) => corrected(each, ahead));
      await storeThroughput(this.engine, now, byDatabase);
    } catch (error) {
      logError(this.logger, 'Throughput counts could not be stored and are lost', error);
    }
  }
}

/** @param ahead how far the database's clock is ahead of this process's, in ms. */
function corrected(delta: Counts, ahead: number): ThroughputDelta {
  const { succeeded, failed, retried, latencySum, latencyMax, runSum, runMax } = delta;
  const whole = (milliseconds: number) => Math.max(0, Math.round(milliseconds));
  return {
    ...delta,
    latencySum: whole(latencySum + (succeeded + failed + retried) * ahead),
    latencyMax: whole(latencyMax + ahead),
    runSum: whole(runSum),
    runMax: whole(runMax),
  };
}
