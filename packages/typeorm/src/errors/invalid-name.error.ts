import { inspect } from 'node:util';

import { TableQueueError } from './table-queue.error.js';

/** A name, a key or a tenant cannot be stored. */
export class InvalidNameError extends TableQueueError {
  /** @param rule the rule that the value breaks, as an instruction. */
  constructor(
    /** What the value is for. */
    readonly kind: 'job name' | 'queue name' | 'schedule name' | 'key' | 'unique key' | 'lock name' | 'tenant',
    /** The rejected value. */
    readonly value: unknown,
    rule: string,
  ) {
    super(`${inspect(value)} is not a valid ${kind}: ${rule}.`);
  }
}
