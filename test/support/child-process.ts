import { type ChildProcess as Spawned, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Imported before the program: it ends when the channel to its parent does, for whatever reason. The listener must not
 * keep the process alive. Encoded, because text behind a `?` is no part of a module in a URL.
 */
const END_WITH_PARENT = `data:text/javascript,${encodeURIComponent(
  'process.once("disconnect", () => process.exit(1)); process.channel?.unrefCounted();',
)}`;

/** One listener for all: Node warns of more than ten. */
const running = new Set<Spawned>();
const killAll = () => running.forEach((spawned) => spawned.kill('SIGKILL'));

function killAtExit(spawned: Spawned): void {
  if (running.size === 0) {
    process.on('exit', killAll);
  }
  running.add(spawned);
  spawned.on('exit', () => {
    running.delete(spawned);
    if (running.size === 0) {
      process.off('exit', killAll);
    }
  });
}

/** A Node process of our own, running what was built. It never outlives the process that starts it. */
export class ChildProcess {
  /** Everything it has printed. */
  output = '';

  private constructor(private readonly spawned: Spawned) {
    spawned.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    spawned.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    killAtExit(spawned);
  }

  /**
   * @param file a built file.
   * @param node the Node.js to run it with.
   */
  static start(file: URL, environment: Record<string, string> = {}, node = process.execPath): ChildProcess {
    return new ChildProcess(
      spawn(node, ['--enable-source-maps', '--import', END_WITH_PARENT, fileURLToPath(file)], {
        env: { ...process.env, NO_COLOR: '1', ...environment },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      }),
    );
  }

  get pid(): number | undefined {
    return this.spawned.pid;
  }

  get hasEnded(): boolean {
    return this.spawned.exitCode !== null || this.spawned.signalCode !== null;
  }

  onMessage(listener: (message: unknown) => void): void {
    this.spawned.on('message', listener);
  }

  /** Waits for its next message. */
  nextMessage(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const onClose = () => reject(this.failure());
      // Not "exit", which can come before the last message.
      this.spawned.once('close', onClose).once('message', (message) => {
        this.spawned.off('close', onClose);
        resolve(message);
      });
    });
  }

  send(message: string): void {
    this.spawned.send(message);
  }

  /** Sends a signal. */
  signal(signal: NodeJS.Signals): void {
    this.spawned.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.hasEnded) {
      this.spawned.kill(signal);
      await once(this.spawned, 'exit');
    }
  }

  /** Waits for it to end on its own. */
  async ended(): Promise<void> {
    if (!this.hasEnded) {
      await once(this.spawned, 'exit');
    }
    if (this.spawned.exitCode !== 0) {
      throw this.failure();
    }
  }

  private failure(): Error {
    return new Error(`It ended with ${this.spawned.exitCode ?? this.spawned.signalCode}:\n${this.output}`);
  }
}
