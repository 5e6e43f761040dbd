import { once } from 'node:events';

import type { Random } from '../random.js';
import { isDoneWithin, monotonic, sleepUnlessAborted } from '../timing.js';
import type { FaultContext } from './fault-context.js';
import type { Fault } from './fault.js';
import type { InjectedFaults } from './injected-faults.js';

/** How long after a fault the next one begins, in ms. Faults that last longer overlap. */
const GAP = { least: 400, most: 2_200 } as const;
/** The gaps grow with the duration of the run, by at most this factor, so that there is time to work between faults. */
const GAP_FACTOR = { most: 3, perMs: 200_000 } as const;
/** How long all faults may take to heal, in ms: a worker must stop in order, a server must start. */
const RECOVERY_TIMEOUT = 180_000;

/** Injects faults at times and in ways that the seed determines. */
export class FaultPlan {
  /** The errors that prevented a fault or its healing. */
  readonly problems: string[] = [];
  private readonly active = new Map<Promise<void>, Fault>();
  /** The faults that are still to be injected before all are injected again; the next one is the last. */
  private round: Fault[] = [];

  /** @param recoveryTimeout how long all faults may take to heal, in ms. */
  constructor(
    private readonly faults: readonly Fault[],
    private readonly contextFor: (fault: Fault) => FaultContext,
    private readonly injected: InjectedFaults,
    private readonly random: Random,
    private readonly durationMs: number,
    private readonly recoveryTimeout = RECOVERY_TIMEOUT,
  ) {}

  /** Injects faults until the signal is aborted. Resolves when all are healed, or after the recovery timeout. */
  async run(signal: AbortSignal): Promise<void> {
    const gapFactor = Math.min(Math.max(this.durationMs / GAP_FACTOR.perMs, 1), GAP_FACTOR.most);
    const repeated = this.faults.filter(({ when }) => when === undefined);
    for (const fault of this.faults) {
      if (fault.when === 'once') {
        this.inject(fault, signal);
      }
    }
    if (repeated.length === 0 && !signal.aborted) {
      await once(signal, 'abort');
    }
    // Every fault in random order, then all again: so a short run has each of them.
    while (repeated.length > 0 && !signal.aborted) {
      await sleepUnlessAborted(gapFactor * this.random.integer(GAP.least, GAP.most), signal);
      if (this.round.length === 0) {
        this.round = this.random.shuffle(repeated);
      }
      if (!signal.aborted) {
        const fault = this.round.pop()!;
        const countBefore = this.injected.all.length;
        this.inject(fault, signal);
        if (fault.needs.includes('processes') && this.injected.all.length === countBefore) {
          // All processes have an active fault. It is tried again at the end of the round.
          this.round.unshift(fault);
        }
      }
    }
    if (!(await isDoneWithin(this.recoveryTimeout, Promise.all(this.active.keys())))) {
      const names = [...this.active.values()].map(({ name }) => name);
      this.problems.push(`Not healed after ${this.recoveryTimeout / 1000} s: ${names.join(', ')}.`);
    }
  }

  private inject(fault: Fault, signal: AbortSignal): void {
    const since = monotonic();
    const injection = fault.inject(this.contextFor(fault), this.random.fork(), signal).catch((error: unknown) => {
      if (fault.needs.includes('server') || !this.wasServerHit(since)) {
        this.problems.push(`The fault ${fault.name} could not be injected or healed: ${String(error)}`);
      } else if (!this.injected.all.some((each) => each.fault === fault.name && each.from >= since)) {
        // It could not connect while the server was away. It is tried again at the end of the round.
        this.round.unshift(fault);
      }
    });
    this.active.set(injection, fault);
    void injection.finally(() => this.active.delete(injection));
  }

  /** Returns whether a fault of the server was active since then. It breaks the connections of other faults. */
  private wasServerHit(since: number): boolean {
    const names = new Set(this.faults.filter(({ needs }) => needs.includes('server')).map(({ name }) => name));
    return this.injected.all.some(({ fault, to }) => names.has(fault) && to >= since);
  }
}

/** The part of a `FaultContext` that all faults share. */
export type SharedContext = Omit<FaultContext, 'begin' | 'pickProcess'>;

/** Completes the shared context for one fault. */
export function createFaultContext(fault: Fault, shared: SharedContext, injected: InjectedFaults): FaultContext {
  return {
    ...shared,
    begin: (target, detail) => injected.begin(fault.name, fault.allows, target, detail),
    pickProcess: (role, random) => {
      const free = shared.processes.running(role).filter(({ name }) => !injected.isTarget(name));
      // One worker is never hit, so that it can take jobs over.
      return role === 'worker' && free.length < 2 ? undefined : random.pick(free);
    },
  };
}
