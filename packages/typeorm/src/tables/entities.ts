import type { EntitySchema } from 'typeorm';

import { InvalidOptionError, UnsupportedDatabaseError } from '../errors/index.js';
import { assertKnownOptions } from '../options.js';
import { alertTable } from './alert.js';
import { auditTable } from './audit.js';
import { bulkOperationTable } from './bulk-operation.js';
import { cancellationTable } from './cancellation.js';
import { errorTable } from './error.js';
import { eventTable } from './event.js';
import { expiryTable } from './expiry.js';
import { groupTable } from './group.js';
import { jobTable } from './job.js';
import { keyTable } from './key.js';
import { lockTable } from './lock.js';
import { logTable } from './log.js';
import { maintenanceTable } from './maintenance.js';
import { memberTable } from './member.js';
import { mutedErrorTable } from './muted-error.js';
import { orderKeyTable } from './order-key.js';
import { orderedTable } from './ordered.js';
import { queueTable } from './queue.js';
import { scheduleTable } from './schedule.js';
import { signalTable } from './signal.js';
import { stepTable } from './step.js';
import { subscriptionTable } from './subscription.js';
import { tenantRateTable } from './tenant-rate.js';
import { throughputTable } from './throughput.js';
import { uniqueTable } from './unique.js';
import { workerTable } from './worker.js';
import { type QueueDatabaseType, columnTypes } from './column-types.js';

/** All tables. A new one is added here and in `migrations/`. */
export const TABLES = {
  job: jobTable,
  error: errorTable,
  key: keyTable,
  worker: workerTable,
  maintenance: maintenanceTable,
  queue: queueTable,
  cancellation: cancellationTable,
  schedule: scheduleTable,
  lock: lockTable,
  unique: uniqueTable,
  group: groupTable,
  member: memberTable,
  audit: auditTable,
  throughput: throughputTable,
  step: stepTable,
  signal: signalTable,
  ordered: orderedTable,
  orderKey: orderKeyTable,
  event: eventTable,
  subscription: subscriptionTable,
  expiry: expiryTable,
  tenantRate: tenantRateTable,
  bulkOperation: bulkOperationTable,
  log: logTable,
  mutedError: mutedErrorTable,
  alert: alertTable,
} as const;

/** Options of `tableQueueEntities`. */
export interface TableOptions {
  /** The prefix of the tables' names: 1 to 32 letters, digits or `_`. Default: `'tq_'`. */
  readonly prefix?: string;
}

const DEFAULT_PREFIX = 'tq_';

/** One array for each type and prefix, so that lists that compare entities by identity contain them once. */
const made = new Map<string, readonly EntitySchema[]>();

/**
 * Returns the queue's entities, for the `entities` of a data source.
 *
 *     new DataSource({ type: 'mariadb', url, entities: [...tableQueueEntities('mariadb'), Order] });
 *
 * @param databaseType the `type` of the data source, because the column types differ.
 * @throws UnsupportedDatabaseError for another type.
 * @throws InvalidOptionError, UnknownOptionError for invalid options.
 */
export function tableQueueEntities(databaseType: QueueDatabaseType, options: TableOptions = {}): EntitySchema[] {
  if (!Object.hasOwn(columnTypes, databaseType)) {
    throw new UnsupportedDatabaseError(`a data source of type "${databaseType as string}"`);
  }
  assertKnownOptions(options, ['prefix']);
  const prefix = resolvePrefix(options.prefix);
  const key = `${databaseType} ${prefix}`;
  let entities = made.get(key);
  if (!entities) {
    entities = Object.values(TABLES).map((table) => table.schema(databaseType, prefix) as EntitySchema);
    made.set(key, entities);
  }
  return [...entities];
}

/** Validates the prefix, which becomes part of the tables' names. */
export function resolvePrefix(prefix = DEFAULT_PREFIX): string {
  if (typeof prefix !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(prefix)) {
    throw new InvalidOptionError('prefix', prefix, '1 to 32 letters, digits or _, and must not begin with a digit');
  }
  return prefix;
}
