import { once } from 'node:events';

import { isDoneWithin } from '../is-done-within.js';
import { monotonic } from '../monotonic.js';
import type { Random } from '../random.js';
import { sleepUnlessEnded } from '../sleep-unless-ended.js';
import type { Fault } from './fault.js';
import type { InjectedFaults } from './injected-faults.js';
import type { FaultContext } from './fault-context.js';

/** How long after the one before a fault strikes, in ms. Those that last go on beside one another. */
const GAP = { least: 400, most: 2_200 } as const;
/** Up to so many times as long are they in runs of more than so many ms: the more of these, the longer work lies still. */
const CALMER = { most: 3, perMs: 200_000 } as const;
/** How long all may take to heal, in ms: a worker to stop in order, a server to start. */
const RECOVERY_TIMEOUT = 180_000;

/** Lets faults strike, at times and in ways that the seed repeats. */
export class FaultPlan {
  /** What has kept faults from striking or healing. */
  readonly troubles: string[] = [];
  private readonly active = new Map<Promise<void>, Fault>();

  /** @param healing how long all may take to heal, in ms. */
  constructor(
    private readonly faults: readonly Fault[],
    private readonly sceneFor: (fault: Fault) => FaultContext,
    private readonly records: InjectedFaults,
    private readonly random: Random,
    private readonly durationMs: number,
    private readonly healing = RECOVERY_TIMEOUT,
  ) {}

  /** Strikes until the signal is aborted. Resolves when everything is healed, or does not come to that. */
  async run(signal: AbortSignal): Promise<void> {
    const calmer = Math.min(Math.max(this.durationMs / CALMER.perMs, 1), CALMER.most);
    const again = this.faults.filter(({ when }) => when === undefined);
    for (const fault of this.faults) {
      if (fault.when === 'once') {
        this.injectFault(fault, signal);
      }
    }
    if (again.length === 0 && !signal.aborted) {
      await once(signal, 'abort');
    }
    // A round of all, in an order that is drawn, and then another: a short run has struck with each.
    let round: Fault[] = [];
    while (again.length > 0 && !signal.aborted) {
      await sleepUnlessEnded(calmer * this.random.whole(GAP.least, GAP.most), signal);
      if (round.length === 0) {
        round = again
          .map((fault) => [this.random.next(), fault] as const)
          .sort(([a], [b]) => a - b)
          .map(([, fault]) => fault);
      }
      if (!signal.aborted) {
        const fault = round.pop()!;
        const recordsBefore = this.records.all.length;
        this.injectFault(fault, signal);
        if (fault.needs.includes('processes') && this.records.all.length === recordsBefore) {
          // Nobody was free: those that stand still are hit already. Once more at the end of the round.
          round.unshift(fault);
        }
      }
    }
    if (!(await isDoneWithin(this.healing, Promise.all(this.active.keys())))) {
      const names = [...this.active.values()].map(({ name }) => name);
      this.troubles.push(`Not healed after ${this.healing / 1000} s: ${names.join(', ')}.`);
    }
  }

  private injectFault(fault: Fault, signal: AbortSignal): void {
    const since = monotonic();
    const strike = fault.inject(this.sceneFor(fault), this.random.fork(), signal).catch((error: unknown) => {
      if (fault.needs.includes('server') || !this.wasServerHit(since)) {
        this.troubles.push(`The fault ${fault.name} could not strike or heal: ${String(error)}`);
      }
    });
    this.active.set(strike, fault);
    void strike.finally(() => this.active.delete(strike));
  }

  /** Whether a fault of the server has struck since: what others held there is gone with their connections. */
  private wasServerHit(since: number): boolean {
    const names = new Set(this.faults.filter(({ needs }) => needs.includes('server')).map(({ name }) => name));
    return this.records.all.some(({ fault, to }) => names.has(fault) && to >= since);
  }
}

/** The scene of a run, but for what each fault does by itself. */
export type SharedContext = Omit<FaultContext, 'record' | 'pickProcess'>;

/** The scene as one fault finds it. */
export function contextFor(fault: Fault, stage: SharedContext, records: InjectedFaults): FaultContext {
  return {
    ...stage,
    record: (target, detail) => records.begin(fault.name, fault.allows, target, detail),
    pickProcess: (role, draw) => {
      const free = stage.processes.living(role).filter(({ name }) => !records.isTarget(name));
      // One worker is left alone: somebody has to take over.
      return role === 'worker' && free.length < 2 ? undefined : draw(free);
    },
  };
}
