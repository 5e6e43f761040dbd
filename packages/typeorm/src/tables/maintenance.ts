import { defineTable } from './table.js';

/** One row of `tq_maintenance`: when a maintenance task is due, for the first process that asks. */
export class TableQueueMaintenance {
  readonly task!: string;
  readonly nextRunAt!: number;
}

export const maintenanceTable = defineTable(TableQueueMaintenance, 'maintenance', (types) => ({
  columns: {
    task: { ...types.name(64), name: 'task', primary: true },
    nextRunAt: { ...types.time, name: 'next_run_at' },
  },
}));
