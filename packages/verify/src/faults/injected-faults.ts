import { appendFileSync } from 'node:fs';

import { monotonic } from '../monotonic.js';
import type { Allowance } from './fault.js';
import type { FaultTarget, ActiveFault } from './fault-context.js';

/** A fault that has struck. */
export interface InjectedFault {
  readonly fault: string;
  readonly allows: readonly Allowance[];
  readonly target: FaultTarget;
  readonly detail: string;
  /** By `monotonic`. */
  readonly from: number;
  /** Infinity while it lasts. */
  readonly to: number;
}

/** All faults of a run. They are written to a file too, for people. */
export class InjectedFaults {
  private readonly records: { -readonly [Name in keyof InjectedFault]: InjectedFault[Name] }[] = [];

  constructor(private readonly path: string) {}

  get all(): readonly InjectedFault[] {
    return this.records;
  }

  begin(fault: string, allows: readonly Allowance[], target: FaultTarget, detail: string): ActiveFault {
    const record = { fault, allows, target, detail, from: monotonic(), to: Infinity };
    this.records.push(record);
    this.write({ ...record, to: undefined });
    return {
      end: () => {
        if (record.to === Infinity) {
          record.to = monotonic();
          this.write(record);
        }
      },
    };
  }

  /** Whether a fault that has not ended has hit a process. */
  isTarget(process: string): boolean {
    return this.records.some(({ target, to }) => to === Infinity && target !== 'everyone' && target.includes(process));
  }

  private write(record: object): void {
    appendFileSync(this.path, `${JSON.stringify(record)}\n`);
  }
}
