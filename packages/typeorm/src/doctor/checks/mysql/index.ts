import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { tables } from '../tables.js';
import { binlogFormat, connections, durability, packetSize } from './server-settings.js';
import { claimPlan, claimStrategy } from './claims.js';
import { clockDrift, timeZone } from './clocks.js';
import { cluster } from './cluster.js';
import { enqueueProcedure } from './enqueue-procedure.js';
import { historyLength, openTransactions } from './purge.js';
import { isolation, lockWaits, sqlMode } from './session-settings.js';
import { privileges } from './privileges.js';
import { tableSizes } from './table-sizes.js';
import { version } from './version.js';
import { workerSession } from './worker-session.js';

/** The checks of MySQL and MariaDB, in the order of the report. Add a new check here. */
export const MYSQL_CHECKS: readonly Check<ExaminedServer>[] = [
  version,
  cluster,
  // It uses a connection of its own; SQLite has one for all checks.
  { ...tables, hasOwnSession: true },
  privileges,
  enqueueProcedure,
  workerSession,
  isolation,
  binlogFormat,
  sqlMode,
  claimStrategy,
  claimPlan,
  packetSize,
  connections,
  lockWaits,
  durability,
  openTransactions,
  historyLength,
  clockDrift,
  timeZone,
  tableSizes,
];

/**
 * Those that only read settings and counters, for health checks. They use the session only: the application's pool may
 * have no other connection.
 */
export const CHEAP_MYSQL_CHECKS: readonly Check<ExaminedServer>[] = [
  version,
  cluster,
  binlogFormat,
  packetSize,
  historyLength,
  clockDrift,
  timeZone,
];
