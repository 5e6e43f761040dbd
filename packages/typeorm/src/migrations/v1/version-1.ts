import { sql } from '../../engine/sql.js';
import type { SchemaNames, SchemaVersion } from '../schema-version.js';
import { createOnMysql } from './mysql.js';
import { createOnSqlite } from './sqlite.js';

const TABLES = [
  'job', //
  'error',
  'key',
  'worker',
  'maintenance',
  'queue',
  'cancellation',
  'schedule',
  'lock',
  'unique',
  'group',
  'member',
  'audit',
  'throughput',
  'step',
  'signal',
  'ordered',
  'order_key',
  'event',
  'subscription',
  'expiry',
  'tenant_rate',
  'bulk_operation',
  'log',
  'muted_error',
  'alert',
];

const drop = ({ table }: SchemaNames) => TABLES.map((name) => sql`DROP TABLE IF EXISTS ${table(name)}`);

/** The first version of the tables. */
export const version1: SchemaVersion = {
  tables: TABLES,
  mysql: { up: createOnMysql, down: drop },
  sqlite: { up: createOnSqlite, down: drop },
};
