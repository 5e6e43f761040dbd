import { appendFileSync } from 'node:fs';

import { monotonic } from '../monotonic.js';
import type { Excuse } from './fault.js';
import type { Hit, OpenRecord } from './scene.js';

/** A fault that has struck. */
export interface FaultRecord {
  readonly fault: string;
  readonly excuses: readonly Excuse[];
  readonly hit: Hit;
  readonly detail: string;
  /** By `monotonic`. */
  readonly from: number;
  /** Infinity while it lasts. */
  readonly to: number;
}

/** All faults of a run. They are written to a file too, for people. */
export class FaultRecords {
  private readonly records: { -readonly [Name in keyof FaultRecord]: FaultRecord[Name] }[] = [];

  constructor(private readonly path: string) {}

  get all(): readonly FaultRecord[] {
    return this.records;
  }

  begin(fault: string, excuses: readonly Excuse[], hit: Hit, detail: string): OpenRecord {
    const record = { fault, excuses, hit, detail, from: monotonic(), to: Infinity };
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
  hits(process: string): boolean {
    return this.records.some(({ hit, to }) => to === Infinity && hit !== 'everyone' && hit.includes(process));
  }

  private write(record: object): void {
    appendFileSync(this.path, `${JSON.stringify(record)}\n`);
  }
}
