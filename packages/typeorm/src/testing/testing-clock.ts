import { type Duration, toMilliseconds } from '../duration.js';
import type { DatabaseClock } from '../engine/clock.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { TestingStateError } from './errors/index.js';
import { FakedDate } from './faked-date.js';
import { MovedDate } from './moved-date.js';

/** Options of a `TestingClock`. */
export interface TestingClockOptions {
  /**
   * Whether `advance` also moves `Date.now()` and `new Date()` of this process, until `restore`. Timers do not move.
   * Default: false.
   */
  readonly date?: boolean;
}

/**
 * A clock for tests: the database's clock, which `advance` moves ahead, so that delays, retries, schedules and leases
 * pass without waiting. Use the same clock for all queues of a test.
 *
 * If a test framework replaces `Date` (`jest.setSystemTime`, `vi.setSystemTime`, `mock.timers` of node:test), the
 * database's time follows it, and `advance` adds to it. Let it replace only `Date`, because the queue needs timers. A
 * fixed `Date` does not stop the database's time.
 */
export class TestingClock implements DatabaseClock {
  private ahead = 0;
  private readonly fakedDate = new FakedDate();
  private movedDate: MovedDate | undefined;
  private readonly movesDate: boolean;

  /** @throws InvalidOptionError, UnknownOptionError for wrong options. */
  constructor(options: TestingClockOptions = {}) {
    assertKnownOptions(options, ['date']);
    const { date = false } = options;
    if (typeof date !== 'boolean') {
      throw new InvalidOptionError('date', date, 'a boolean');
    }
    this.movesDate = date;
  }

  /** How far the queue's time is ahead of the database's clock, in ms. */
  get shift(): number {
    return this.movedDate?.isInstalled ? this.fakedDate.offset : this.ahead + this.fakedDate.offset;
  }

  /**
   * Moves the clock ahead. The next `drain`, or a running worker, runs the jobs that are then due.
   *
   * @param by 0 ms to 100 years.
   * @throws InvalidOptionError for an invalid duration.
   * @throws TestingStateError with `date`, if another clock already moves `Date`, or if a test framework has replaced
   *   it since.
   */
  advance(by: Duration): void {
    const milliseconds = toMilliseconds('by', by);
    if (this.movesDate) {
      if (!this.movedDate && MovedDate.isAnyInstalled) {
        throw new TestingStateError('Another clock already moves Date. Use the same clock for all queues of a test.');
      }
      this.movedDate ??= new MovedDate(() => this.ahead);
      if (!this.movedDate.isInstalled) {
        throw new TestingStateError(
          'The clock cannot move Date, because a test framework has replaced it. Set the time with the framework: ' +
            "the database's time follows. Or call clock.restore() before.",
        );
      }
    }
    this.ahead += milliseconds;
  }

  /** Restores `Date`. The database's time stays ahead. Can be called again. */
  restore(): void {
    this.movedDate?.remove();
    this.movedDate = undefined;
  }
}
