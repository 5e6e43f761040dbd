import { NAME_LENGTH } from '../definition/names.js';
import { defineTable } from './table.js';

/** One row of `tq_event`: an event with subscriptions. Its lock puts their registrations in an order. */
export class TableQueueEvent {
  readonly name!: string;
  /** The number of the subscription that was registered last. Never decreases. */
  readonly lastNumber!: number;
}

export const eventTable = defineTable(TableQueueEvent, 'event', (types) => ({
  columns: {
    name: { ...types.name(NAME_LENGTH.event), name: 'name', primary: true },
    lastNumber: { ...types.time, name: 'last_number' },
  },
}));
