import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Command, EndReport, Message, ProcessConfig, Role } from './messages.js';

/** Built, also where this file runs from its source. */
const ENTRIES: Readonly<Record<Role, URL>> = {
  worker: new URL('../../dist/processes/worker.js', import.meta.url),
  producer: new URL('../../dist/processes/producer.js', import.meta.url),
};

/** Those of all runs: several may go on at a time. */
const living = new Set<ChildProcess>();

function killLiving(): void {
  living.forEach((child) => child.kill('SIGKILL'));
}

/** Kills a process when this one ends. @returns what to call when it has ended by itself. */
function killAtExit(child: ChildProcess): () => void {
  if (living.size === 0) {
    process.on('exit', killLiving);
  }
  living.add(child);
  return () => {
    living.delete(child);
    if (living.size === 0) {
      process.off('exit', killLiving);
    }
  };
}

/** A worker or a producer, in a process of its own. It never outlives this one. */
export class BenchProcess {
  readonly name: string;
  readonly slot: string;
  readonly role: Role;
  /** Resolves when it works, or has ended. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Resolves when it enqueues nothing more, or has ended. */
  readonly quiet: Promise<void>;
  isQuiet = false;
  /** What it has told at its end, if that was in order. */
  report: EndReport | undefined;
  private readonly child: ChildProcess;
  /** Whether it was told to stop in order. */
  wasFinished = false;
  private isMeantToEnd = false;
  private startError: Error | undefined;

  /**
   * @param imports modules that run in it before anything else.
   * @param folder its log goes there: what it writes to its outputs.
   */
  constructor(config: ProcessConfig, imports: readonly string[]) {
    ({ name: this.name, slot: this.slot, role: this.role } = config);
    const log = openSync(join(config.folder, `${this.name}.log`), 'a');
    this.child = spawn(
      process.execPath,
      ['--expose-gc', ...imports.flatMap((each) => ['--import', each]), fileURLToPath(ENTRIES[this.role])],
      { stdio: ['ignore', log, log, 'ipc'], serialization: 'advanced' },
    );
    closeSync(log);
    const hasEnded = killAtExit(this.child);
    this.ended = new Promise<void>((resolve) => {
      this.child.once('exit', () => resolve());
      // A message that it cannot take any more is no error: that it has ended is told otherwise.
      this.child.on('error', (error) => {
        if (!this.isStarted) {
          this.startError ??= error;
          resolve();
        }
      });
    }).finally(hasEnded);
    this.child.on('message', (message: Message) => {
      if (message.tell === 'report') {
        this.report = message.report;
      }
    });
    this.ready = this.told('ready');
    this.quiet = this.told('quiet');
    void this.quiet.then(() => (this.isQuiet = true));
    this.tell({ tell: 'config', config });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** False where the system had no room for it. */
  get isStarted(): boolean {
    return this.child.pid !== undefined;
  }

  get hasEnded(): boolean {
    return !this.isStarted || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** How it has ended, where nobody has ended it: `exit code 1`. */
  get ownEnd(): string | undefined {
    if (this.startError) {
      return this.startError.message;
    }
    return !this.hasEnded || this.isMeantToEnd
      ? undefined
      : (this.child.signalCode ?? `exit code ${String(this.child.exitCode)}`);
  }

  /** Sends a signal. SIGKILL ends it as a fault: it is replaced. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.isMeantToEnd ||= signal === 'SIGKILL';
    this.child.kill(signal);
  }

  tell(command: Command): void {
    if (command.tell === 'finish') {
      this.isMeantToEnd = true;
      this.wasFinished = true;
    }
    if (this.child.connected) {
      this.child.send(command);
    }
  }

  private told(what: Message['tell']): Promise<void> {
    return new Promise((resolve) => {
      this.child.on('message', ({ tell }: Message) => tell === what && resolve());
      void this.ended.then(resolve);
    });
  }
}
