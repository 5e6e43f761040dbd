import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProcessDidNotStartError } from '../errors/index.js';
import { JOURNAL } from '../journal/read-journals.js';
import { BenchProcess } from './bench-process.js';
import type { Command, ProcessConfig, Role } from './messages.js';

/** What is the same for the processes of all roles. */
export type CommonConfig = Pick<ProcessConfig, 'connection' | 'prefix' | 'folder' | 'lease' | 'concurrency' | 'rate'>;

/** How many processes there are. */
export interface PoolSize {
  readonly workers: number;
  readonly producers: number;
  /** How many jobs all producers enqueue together at most. */
  readonly jobs: number;
}

/** How long a process may take to begin, in ms: also on a machine without room. */
const PATIENCE = 180_000;

interface Slot {
  readonly name: string;
  readonly role: Role;
  readonly seed: number;
  /** How many processes were in it. */
  count: number;
  process: BenchProcess | undefined;
}

/** The processes of the bench. What is killed is replaced, as a supervisor would, until `stopReplacing`. */
export class ProcessPool {
  /** All that there were. */
  readonly all: BenchProcess[] = [];
  private readonly slots: Slot[];
  /** The slots of the producers. */
  readonly producers: readonly string[];
  private readonly jobsEach: number;
  private isReplacing = true;

  /**
   * @param seed draws the seed of a producer.
   * @param imports modules that run in each process before anything else.
   */
  constructor(
    private readonly config: CommonConfig,
    { workers, producers, jobs }: PoolSize,
    seed: () => number,
    private readonly imports: readonly string[],
  ) {
    const slot = (role: Role, index: number): Slot => ({
      name: `${role}-${index + 1}`,
      role,
      seed: seed(),
      count: 0,
      process: undefined,
    });
    const ofProducers = Array.from({ length: producers }, (_each, index) => slot('producer', index));
    this.producers = ofProducers.map(({ name }) => name);
    this.jobsEach = Math.ceil(jobs / producers);
    this.slots = [...ofProducers, ...Array.from({ length: workers }, (_each, index) => slot('worker', index))];
  }

  /** Starts all and waits until they work. */
  async start(): Promise<void> {
    const all = this.slots.map((slot) => this.fill(slot, []));
    const late = sleep(PATIENCE, 'late', { ref: false });
    for (const each of all) {
      if ((await Promise.race([each.ready, late])) === 'late' || each.hasEnded) {
        throw new ProcessDidNotStartError(each.name, join(this.config.folder, `${each.name}.log`));
      }
    }
  }

  /** Those that have not ended. */
  living(role?: Role): BenchProcess[] {
    return this.slots.flatMap(({ process: each }) =>
      each && !each.hasEnded && (role === undefined || each.role === role) ? [each] : [],
    );
  }

  /** Whether no producer enqueues anything more. */
  get isQuiet(): boolean {
    const producers = this.living('producer');
    return producers.length === this.producers.length && producers.every(({ isQuiet }) => isQuiet);
  }

  tell(command: Command, role?: Role): void {
    this.living(role).forEach((each) => each.tell(command));
  }

  /**
   * Stops a process in order and starts another in its place. Resolves when that works.
   *
   * @param imports modules that run in it, and in none that replaces it, before anything else.
   */
  async replace(old: BenchProcess, imports: readonly string[] = []): Promise<BenchProcess> {
    const slot = this.slots.find(({ process: each }) => each === old);
    if (!slot) {
      throw new Error(`${old.name} has been replaced already.`);
    }
    // Taken out first, so that its end does not fill the slot.
    slot.process = undefined;
    old.tell({ tell: 'finish' });
    await old.ended;
    const next = this.fill(slot, imports);
    await next.ready;
    return next;
  }

  /** From now on what ends is not replaced. */
  stopReplacing(): void {
    this.isReplacing = false;
  }

  /** Ends all at once. */
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

  /** How many jobs those before in a slot have enqueued, or were about to. */
  private enqueuedIn({ name }: Slot): number {
    const { folder } = this.config;
    const earlier = this.all.filter(({ slot }) => slot === name).map((each) => join(folder, `${each.name}${JOURNAL}`));
    const notes = earlier.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
    return notes.reduce((sum, text) => sum + text.split('"act":"enqueue"').length - 1, 0);
  }

  private fill(slot: Slot, imports: readonly string[]): BenchProcess {
    const config: ProcessConfig = {
      ...this.config,
      role: slot.role,
      name: `${slot.name}.${++slot.count}`,
      slot: slot.name,
      producers: this.producers,
      seed: (slot.seed + slot.count) >>> 0,
      jobs: this.jobsEach === Infinity ? Infinity : this.jobsEach - this.enqueuedIn(slot),
    };
    const next = new BenchProcess(config, [...this.imports, ...imports]);
    slot.process = next;
    this.all.push(next);
    void this.refill(slot, next);
    return next;
  }

  private async refill(slot: Slot, last: BenchProcess): Promise<void> {
    await last.ended;
    if (slot.process === last && last.isStarted && this.isReplacing) {
      this.fill(slot, []);
    }
  }
}
