import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { tables } from '../tables.js';
import { binlogFormat } from './binlog-format.js';
import { claimPlan } from './claim-plan.js';
import { claimStrategy } from './claim-strategy.js';
import { clockDrift } from './clock-drift.js';
import { cluster } from './cluster.js';
import { connections } from './connections.js';
import { durability } from './durability.js';
import { historyLength } from './history-length.js';
import { isolation } from './isolation.js';
import { lockWaits } from './lock-waits.js';
import { openTransactions } from './open-transactions.js';
import { packetSize } from './packet-size.js';
import { privileges } from './privileges.js';
import { sqlMode } from './sql-mode.js';
import { tableSizes } from './table-sizes.js';
import { timeZone } from './time-zone.js';
import { version } from './version.js';
import { workerSession } from './worker-session.js';

/** The checks of MySQL and MariaDB, in the order of the report. Add a new check here. */
export const MYSQL_CHECKS: readonly Check<ExaminedServer>[] = [
  version,
  cluster,
  // It uses a connection of its own; SQLite has one for all checks.
  { ...tables, hasOwnSession: true },
  privileges,
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
