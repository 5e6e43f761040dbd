import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProcessDidNotStartError } from '../errors.js';
import { JOURNAL_EXTENSION } from '../journal/read-journals.js';
import type { Command, ProcessConfig, Role } from './messages.js';
import { VerifyProcess } from './verify-process.js';

/** The configuration that the processes of all roles share. */
export type CommonConfig = Pick<
  ProcessConfig,
  'connection' | 'prefix' | 'folder' | 'lease' | 'concurrency' | 'rate' | 'subscribeAfter'
>;

/** The number of processes and jobs. */
export interface PoolSize {
  readonly workers: number;
  readonly producers: number;
  /** The number of jobs that all producers enqueue together at most. */
  readonly jobs: number;
}

/** How long a process may take to start, in ms. A busy machine needs minutes. */
const START_TIMEOUT = 180_000;

interface Slot {
  readonly name: string;
  readonly role: Role;
  readonly seed: number;
  /** The number of processes that were started in it. */
  count: number;
  process: VerifyProcess | undefined;
}

/** The processes of a run. A killed process is replaced, as a supervisor does, until `stopReplacing`. */
export class ProcessPool {
  /** All processes that were ever started. */
  readonly all: VerifyProcess[] = [];
  readonly producers: readonly string[];
  private readonly slots: Slot[];
  private readonly jobsEach: number;
  private isReplacing = true;

  /**
   * @param drawSeed returns the seed of the next producer.
   * @param imports modules that run in each process before anything else.
   */
  constructor(
    private readonly config: CommonConfig,
    { workers, producers, jobs }: PoolSize,
    drawSeed: () => number,
    private readonly imports: readonly string[],
  ) {
    const createSlot = (role: Role, index: number): Slot => ({
      name: `${role}-${index + 1}`,
      role,
      seed: drawSeed(),
      count: 0,
      process: undefined,
    });
    const ofProducers = Array.from({ length: producers }, (_each, index) => createSlot('producer', index));
    const ofWorkers = Array.from({ length: workers }, (_each, index) => createSlot('worker', index));
    this.producers = ofProducers.map(({ name }) => name);
    this.jobsEach = Math.ceil(jobs / producers);
    this.slots = [...ofProducers, ...ofWorkers];
  }

  /**
   * Starts all processes and waits until they work.
   *
   * @throws ProcessDidNotStartError
   */
  async start(): Promise<void> {
    const all = this.slots.map((slot) => this.startIn(slot, []));
    const late = sleep(START_TIMEOUT, 'late', { ref: false });
    for (const each of all) {
      if ((await Promise.race([each.ready, late])) === 'late' || each.hasEnded) {
        throw new ProcessDidNotStartError(each.name, join(this.config.folder, `${each.name}.log`));
      }
    }
  }

  /** Returns the processes that have not ended, of one role or of both. */
  running(role?: Role): VerifyProcess[] {
    return this.slots.flatMap(({ process: each }) =>
      each && !each.hasEnded && (role === undefined || each.role === role) ? [each] : [],
    );
  }

  /** Whether no producer enqueues anything more. */
  get isDoneProducing(): boolean {
    const producers = this.running('producer');
    return producers.length === this.producers.length && producers.every(({ isDoneProducing }) => isDoneProducing);
  }

  /** Sends a command to all running processes of one role or of both. */
  send(command: Command, role?: Role): void {
    this.running(role).forEach((each) => each.send(command));
  }

  /**
   * Stops a process in order and starts another one in its slot. Resolves when that one works.
   *
   * @param imports modules that run in the new process before anything else, but not in its replacements.
   */
  async replace(old: VerifyProcess, imports: readonly string[] = []): Promise<VerifyProcess> {
    const slot = this.slots.find(({ process: each }) => each === old);
    if (!slot) {
      throw new Error(`${old.name} has been replaced already.`);
    }
    // First, so that `restartAfter` leaves the slot alone.
    slot.process = undefined;
    old.send({ type: 'stop' });
    await old.ended;
    const next = this.startIn(slot, imports);
    await next.ready;
    return next;
  }

  /** From now on processes that end are not replaced. */
  stopReplacing(): void {
    this.isReplacing = false;
  }

  async kill(): Promise<void> {
    this.stopReplacing();
    await Promise.all(
      this.all.map(async (each) => {
        if (!each.hasEnded) {
          each.signal('SIGKILL');
          await each.ended;
        }
      }),
    );
  }

  /** Counts the jobs that earlier processes of a slot enqueued, or were about to enqueue. */
  private countEnqueued({ name }: Slot): number {
    const { folder } = this.config;
    const journals = this.all
      .filter(({ slot }) => slot === name)
      .map((each) => join(folder, `${each.name}${JOURNAL_EXTENSION}`))
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'utf8'));
    return journals.reduce((sum, text) => sum + text.split('"event":"enqueue"').length - 1, 0);
  }

  private startIn(slot: Slot, imports: readonly string[]): VerifyProcess {
    const config: ProcessConfig = {
      ...this.config,
      role: slot.role,
      name: `${slot.name}.${++slot.count}`,
      slot: slot.name,
      producers: this.producers,
      seed: (slot.seed + slot.count) >>> 0,
      jobs: this.jobsEach === Infinity ? Infinity : this.jobsEach - this.countEnqueued(slot),
    };
    const next = new VerifyProcess(config, [...this.imports, ...imports]);
    slot.process = next;
    this.all.push(next);
    void this.restartAfter(slot, next);
    return next;
  }

  private async restartAfter(slot: Slot, last: VerifyProcess): Promise<void> {
    await last.ended;
    if (slot.process === last && last.isStarted && this.isReplacing) {
      this.startIn(slot, []);
    }
  }
}
