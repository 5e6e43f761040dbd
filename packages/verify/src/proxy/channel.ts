import type { Socket } from 'node:net';

import type { Conditions } from './conditions.js';
import { reset } from './reset.js';

/** How much waits here before the sender is asked to wait, in bytes. */
const MOST_WAITING = 1024 * 1024;

/** One direction of a connection: what comes from one socket goes to the other, in order, as the conditions allow. */
export class Channel {
  private tail: Promise<void> = Promise.resolve();
  private waiting = 0;
  private isSilent = false;
  private resume: (() => void) | undefined;
  private resumed: Promise<void> | undefined;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly conditions: Conditions,
  ) {}

  /** Sends bytes on. */
  send(bytes: Buffer): void {
    if (bytes.length === 0) {
      return;
    }
    this.waiting += bytes.length;
    if (this.waiting > MOST_WAITING) {
      this.from.pause();
    }
    this.append(async () => {
      await this.throttle(bytes.length);
      await this.write(bytes);
      this.waiting -= bytes.length;
      if (this.waiting <= MOST_WAITING) {
        this.from.resume();
      }
    });
  }

  /** Tells the receiver that nothing more comes. */
  end(): void {
    this.append(() => void this.to.end());
  }

  /** Tells the receiver that the connection is broken. */
  reset(): void {
    this.append(() => reset(this.to));
  }

  /** From now on nothing arrives any more, and nobody is told. */
  silence(): void {
    if (!this.isSilent) {
      this.isSilent = true;
      this.resumed = new Promise((resolve) => {
        this.resume = resolve;
      });
    }
  }

  /** What was sent meanwhile arrives, late. */
  heal(): void {
    this.isSilent = false;
    this.resume?.();
    this.resumed = undefined;
  }

  private append(step: () => Promise<void> | void): void {
    const arrivesAt = performance.now() + this.conditions.delay;
    const before = this.tail;
    const run = async () => {
      await before;
      await this.conditions.wait(arrivesAt - performance.now());
      await this.resumed;
      await step();
    };
    this.tail = run();
  }

  private async throttle(bytes: number): Promise<void> {
    const { bytesPerSecond } = this.conditions;
    await this.conditions.wait((bytes / bytesPerSecond) * 1000);
  }

  private async write(bytes: Buffer): Promise<void> {
    if (this.to.writable && !this.to.write(bytes)) {
      await new Promise<void>((resolve) => {
        this.to.once('drain', resolve).once('close', resolve);
      });
    }
  }
}
