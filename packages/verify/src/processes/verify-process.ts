import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Command, ExitReport, Message, ProcessConfig, Role } from './messages.js';

/** The built files, also if this file runs from its source. */
const ENTRIES: Readonly<Record<Role, URL>> = {
  worker: new URL('../../dist/processes/worker.js', import.meta.url),
  producer: new URL('../../dist/processes/producer.js', import.meta.url),
};

/** The processes of all runs: several runs may be in progress. */
const children = new Set<ChildProcess>();

function killChildren(): void {
  children.forEach((child) => child.kill('SIGKILL'));
}

/** Kills a child process when this process exits. @returns the function to call after the child has exited. */
function killAtExit(child: ChildProcess): () => void {
  if (children.size === 0) {
    process.on('exit', killChildren);
  }
  children.add(child);
  return () => {
    children.delete(child);
    if (children.size === 0) {
      process.off('exit', killChildren);
    }
  };
}

/** A worker or a producer in a process of its own. It never outlives this process. */
export class VerifyProcess {
  readonly name: string;
  readonly slot: string;
  readonly role: Role;
  /** Resolves when it works, or has exited. */
  readonly ready: Promise<void>;
  /** Resolves when it has exited. */
  readonly ended: Promise<void>;
  /** Resolves when it enqueues nothing more, or has exited. */
  readonly doneProducing: Promise<void>;
  isDoneProducing = false;
  /** Its last message. Undefined if it did not stop in order. */
  report: ExitReport | undefined;
  /** Whether it was asked to stop in order. */
  wasAskedToStop = false;
  private readonly child: ChildProcess;
  private isExpectedToEnd = false;
  private startError: Error | undefined;

  /**
   * @param config its `folder` receives the log, which contains the output of the process.
   * @param imports modules that run in it before anything else.
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
    const onEnded = killAtExit(this.child);
    this.ended = new Promise<void>((resolve) => {
      this.child.once('exit', () => resolve());
      // A message that could not be sent to a dead process is no error: `exit` reports its death.
      this.child.on('error', (error) => {
        if (!this.isStarted) {
          this.startError ??= error;
          resolve();
        }
      });
    }).finally(onEnded);
    this.child.on('message', (message: Message) => {
      if (message.type === 'report') {
        this.report = message.report;
      }
    });
    this.ready = this.untilMessage('ready');
    this.doneProducing = this.untilMessage('done-producing');
    void this.doneProducing.then(() => (this.isDoneProducing = true));
    this.send({ type: 'config', config });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** False if the system could not start it. */
  get isStarted(): boolean {
    return this.child.pid !== undefined;
  }

  get hasEnded(): boolean {
    return !this.isStarted || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** How it ended, if verify did not end it: `exit code 1`. */
  get unexpectedExit(): string | undefined {
    if (this.startError) {
      return this.startError.message;
    }
    return !this.hasEnded || this.isExpectedToEnd
      ? undefined
      : (this.child.signalCode ?? `exit code ${String(this.child.exitCode)}`);
  }

  /** Sends a signal. After SIGKILL the pool replaces the process. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.isExpectedToEnd ||= signal === 'SIGKILL';
    this.child.kill(signal);
  }

  send(command: Command): void {
    if (command.type === 'stop') {
      this.isExpectedToEnd = true;
      this.wasAskedToStop = true;
    }
    if (this.child.connected) {
      this.child.send(command);
    }
  }

  private untilMessage(expected: Message['type']): Promise<void> {
    return new Promise((resolve) => {
      this.child.on('message', ({ type }: Message) => type === expected && resolve());
      void this.ended.then(resolve);
    });
  }
}
