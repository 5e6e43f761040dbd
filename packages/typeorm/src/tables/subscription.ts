import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** One row of `tq_subscription`: a subscription of an event, which gets a job for each event that is published. */
export class TableQueueSubscription {
  readonly event!: string;
  /** Its number among those of the event, in the order in which their registrations committed. */
  readonly number!: number;
  readonly name!: string;
  /** The queue of its jobs. */
  readonly queue!: string;
  /** The priority of its jobs. */
  readonly priority!: number;
  readonly registeredAt!: number;
  /** When a worker with its handler was last seen, to the minute. */
  readonly handledAt!: number;
}

export const subscriptionTable = defineTable(TableQueueSubscription, 'subscription', (types) => ({
  columns: {
    event: { ...types.name(NAME_LENGTH.event), name: 'event', primary: true },
    number: { ...types.time, name: 'number', primary: true },
    name: { ...types.name(NAME_LENGTH.subscription), name: 'name' },
    queue: { ...types.name(NAME_LENGTH.queue), name: 'queue' },
    priority: { ...types.rank, name: 'priority' },
    registeredAt: { ...types.time, name: 'registered_at' },
    handledAt: { ...types.time, name: 'handled_at' },
  },
  indices: { handled: ['handledAt'] },
  uniques: { name: ['event', 'name'] },
}));
