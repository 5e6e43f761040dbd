import { inspect } from 'node:util';

import { TableQueueError } from './table-queue.error.js';

/** A job name, queue name, schedule name or key cannot be stored. */
export class InvalidNameError extends TableQueueError {
  constructor(
    /** What the name was meant for. */
    readonly kind: 'job name' | 'queue name' | 'schedule name' | 'key' | 'unique key' | 'lock name' | 'tenant',
    /** The refused value. */
    readonly value: unknown,
    /** The rule it breaks. */
    rule: string,
  ) {
    super(`${inspect(value)} is not a valid ${kind}: ${rule}.`);
  }
}
