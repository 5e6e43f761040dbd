import type { Socket } from 'node:net';

/** The current delay and speed of the network. */
export class NetworkConditions {
  /** How late data arrives, in each direction, in ms. */
  delay = 0;
  /** The speed of each direction of each connection. */
  bytesPerSecond = Infinity;
  private readonly waits = new Map<NodeJS.Timeout, () => void>();

  /** Restores the normal network. Waiting data is sent at once. */
  heal(): void {
    this.delay = 0;
    this.bytesPerSecond = Infinity;
    for (const [timer, resolve] of this.waits) {
      clearTimeout(timer);
      resolve();
    }
    this.waits.clear();
  }

  async wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          this.waits.delete(timer);
          resolve();
        }, milliseconds);
        this.waits.set(timer, resolve);
      });
    }
  }
}

/** How many bytes wait here before the sender is paused. */
const MOST_WAITING = 1024 * 1024;

/** One direction of a connection: forwards the data of one socket to the other, in order. */
export class Channel {
  private tail: Promise<void> = Promise.resolve();
  private waiting = 0;
  private isSilent = false;
  private resume: (() => void) | undefined;
  private resumed: Promise<void> | undefined;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly conditions: NetworkConditions,
  ) {}

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

  /** Forwards the end of the data. */
  end(): void {
    this.append(() => void this.to.end());
  }

  /** Forwards a reset of the connection. */
  reset(): void {
    this.append(() => reset(this.to));
  }

  /** From now on nothing is forwarded, and no error is reported. */
  silence(): void {
    if (!this.isSilent) {
      this.isSilent = true;
      this.resumed = new Promise((resolve) => {
        this.resume = resolve;
      });
    }
  }

  /** Ends `silence`: the data that was sent meanwhile arrives late. */
  heal(): void {
    this.isSilent = false;
    this.resume?.();
    this.resumed = undefined;
  }

  private append(step: () => Promise<void> | void): void {
    const arrivesAt = performance.now() + this.conditions.delay;
    const previous = this.tail;
    const run = async () => {
      await previous;
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

/**
 * Breaks a socket, with an RST if possible. A socket that is shutting down is destroyed instead: libuv rejects the RST
 * (EINVAL), and Node.js then never emits the end of the socket. A socket with unsent data would delay the RST.
 */
export function reset(socket: Socket): void {
  if (socket.connecting || socket.writableEnded || socket.writableLength > 0) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}
