import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

/** What a shell in a terminal has. */
export interface TerminalOptions {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Runs a command to its end and returns what it prints. */
export async function runToTheEnd(command: string, { folder, environment }: TerminalOptions): Promise<string> {
  const options = { cwd: folder, env: environment, timeout: 240_000, maxBuffer: 16 * 1024 * 1024 };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], options).catch(
    (error: { message: string; stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout + stderr;
}

/** A command that runs until it is ended. */
export class RunningCommand {
  /** Everything it has printed. */
  output = '';

  private constructor(private readonly spawned: ChildProcess) {
    spawned.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    spawned.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    process.on('exit', this.kill);
    spawned.on('exit', () => process.off('exit', this.kill));
  }

  static start(command: string, { folder, environment }: TerminalOptions): RunningCommand {
    // A group of its own: what is started is npm, which starts the application.
    return new RunningCommand(spawn('bash', ['-c', command], { cwd: folder, env: environment, detached: true }));
  }

  get pid(): number | undefined {
    return this.spawned.pid;
  }

  get hasEnded(): boolean {
    return this.spawned.exitCode !== null || this.spawned.signalCode !== null;
  }

  /** As a supervisor, or with SIGINT Ctrl+C, ends it; resolves when it has. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.hasEnded) {
      const ended = once(this.spawned, 'exit');
      this.signal(signal);
      await ended;
    }
  }

  private readonly kill = (): void => this.signal('SIGKILL');

  private signal(signal: NodeJS.Signals): void {
    if (this.spawned.pid !== undefined) {
      process.kill(-this.spawned.pid, signal);
    }
  }
}
