import { type Duration, toMilliseconds } from '../duration.js';
import type { DatabaseClock } from '../engine/clock.js';
import { InvalidOptionError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { TestingStateError } from './errors/index.js';
import { FakedDate } from './faked-date.js';
import { MovedDate } from './moved-date.js';

/** What a testing clock moves. */
export interface TestingClockOptions {
  /**
   * Whether `advance` moves the `Date` of this process too: `Date.now()` and `new Date()`, nothing else, from the first
   * `advance` to `restore`. Timers stay as they are. Default: false.
   */
  readonly date?: boolean;
}

/**
 * A clock for tests: the database's clock, put forward at will. Give the same one to every queue of a test, and delays,
 * back-offs, schedules and leases pass without waiting.
 *
 * Where a test framework has replaced `Date` (`jest.setSystemTime`, `vi.setSystemTime`, `mock.timers` of node:test), the
 * database's time follows it by itself, and `advance` comes on top. Let it replace `Date` alone: the queue needs timers.
 * A `Date` that stands still does not stop the database's time; one that is set forward sets it forward.
 */
export class TestingClock implements DatabaseClock {
  private ahead = 0;
  private readonly fakedDate = new FakedDate();
  private movedDate: MovedDate | undefined;
  private readonly movesDate: boolean;

  /** @throws InvalidOptionError, UnknownOptionError */
  constructor(options: TestingClockOptions = {}) {
    assertKnownOptions(options, ['date']);
    const { date = false } = options;
    if (typeof date !== 'boolean') {
      throw new InvalidOptionError('date', date, 'a boolean');
    }
    this.movesDate = date;
  }

  /** How far the queue's time is ahead of the database's, in ms. */
  get shift(): number {
    return this.movedDate?.isInstalled ? this.fakedDate.offset : this.ahead + this.fakedDate.offset;
  }

  /**
   * Puts the clock forward. What is due then is run by the next `drain`, or by the worker that runs.
   *
   * @throws InvalidOptionError for what is no duration.
   * @throws TestingStateError with `date`, when another clock moves `Date` already, or a test framework has replaced it
   *   since: set the time with that.
   */
  advance(by: Duration): void {
    const milliseconds = toMilliseconds('by', by);
    if (this.movesDate) {
      if (!this.movedDate && MovedDate.isAnyInstalled) {
        throw new TestingStateError('Another clock moves Date already: give the queues of a test the same clock.');
      }
      this.movedDate ??= new MovedDate(() => this.ahead);
      if (!this.movedDate.isInstalled) {
        throw new TestingStateError(
          'The clock cannot move Date: something else has replaced it since. Set the time with that, and the ' +
            "database's time follows; or call clock.restore() before.",
        );
      }
    }
    this.ahead += milliseconds;
  }

  /** Gives `Date` back. The database's time stays ahead. Idempotent. */
  restore(): void {
    this.movedDate?.remove();
    this.movedDate = undefined;
  }
}
