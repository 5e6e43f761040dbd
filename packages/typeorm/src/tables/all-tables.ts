import { auditTable } from './audit.js';
import { cancellationTable } from './cancellation.js';
import { errorTable } from './error.js';
import { groupTable } from './group.js';
import { jobTable } from './job.js';
import { keyTable } from './key.js';
import { lockTable } from './lock.js';
import { maintenanceTable } from './maintenance.js';
import { memberTable } from './member.js';
import { queueTable } from './queue.js';
import { scheduleTable } from './schedule.js';
import { signalTable } from './signal.js';
import { stepTable } from './step.js';
import { throughputTable } from './throughput.js';
import { uniqueTable } from './unique.js';
import { workerTable } from './worker.js';

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
} as const;
