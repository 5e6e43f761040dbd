import { EntitySchema } from 'typeorm';

import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** One row of `tq_maintenance`: when a maintenance task is due, for the first process that asks. */
export class TableQueueMaintenance {
  readonly task!: string;
  readonly nextRunAt!: number;
}

/** The schema of `tq_maintenance`. */
export function maintenanceSchema(
  databaseType: QueueDatabaseType,
  prefix: string,
): EntitySchema<TableQueueMaintenance> {
  const types = columnTypes[databaseType];
  return new EntitySchema<TableQueueMaintenance>({
    name: TableQueueMaintenance.name,
    target: TableQueueMaintenance,
    tableName: `${prefix}maintenance`,
    columns: {
      task: { ...types.name(64), name: 'task', primary: true },
      nextRunAt: { ...types.time, name: 'next_run_at' },
    },
  });
}
