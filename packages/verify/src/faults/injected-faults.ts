import { appendFileSync } from 'node:fs';

import { monotonic } from '../timing.js';
import type { ActiveFault, FaultTarget } from './fault-context.js';
import type { Allowance } from './fault.js';

/** A fault that was injected. Times by `monotonic`. */
export interface InjectedFault {
  readonly fault: string;
  readonly allows: readonly Allowance[];
  readonly target: FaultTarget;
  readonly detail: string;
  readonly from: number;
  /** Infinity while it is active. */
  readonly to: number;
}

/** All faults that were injected in a run. They are also written to a file for people. */
export class InjectedFaults {
  private readonly faults: { -readonly [Name in keyof InjectedFault]: InjectedFault[Name] }[] = [];

  /** @param path the file, with one line of JSON for each begin and each end. */
  constructor(private readonly path: string) {}

  get all(): readonly InjectedFault[] {
    return this.faults;
  }

  begin(name: string, allows: readonly Allowance[], target: FaultTarget, detail: string): ActiveFault {
    const fault = { fault: name, allows, target, detail, from: monotonic(), to: Infinity };
    this.faults.push(fault);
    this.append({ ...fault, to: undefined });
    return {
      end: () => {
        if (fault.to === Infinity) {
          fault.to = monotonic();
          this.append(fault);
        }
      },
    };
  }

  /** Returns whether an active fault targets a process by name. */
  isTarget(process: string): boolean {
    return this.faults.some(({ target, to }) => to === Infinity && target !== 'everyone' && target.includes(process));
  }

  private append(line: object): void {
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
  }
}
