import { addBlocked, addSkip } from './blocked.js';
import { addBulk } from './bulk.js';
import { addCancel } from './cancel.js';
import type { AddCommand } from './command.js';
import { addDoctor } from './doctor.js';
import { addFailures } from './failures.js';
import { addImport } from './import.js';
import { addJob } from './job.js';
import { addCopy, addDelete, addEdit, addEnqueue, addReschedule } from './manual.js';
import { addMigrate } from './migrate.js';
import { addPause, addResume } from './pause.js';
import { addPrune } from './prune.js';
import { addReplay } from './replay.js';
import { addRetry } from './retry.js';
import { addSearch } from './search.js';
import { addStats } from './stats.js';
import { addStatus } from './status.js';
import { addSubscriptions } from './subscriptions.js';
import { addUnsubscribe } from './unsubscribe.js';
import { addVerify } from './verify.js';
import { addWorkers } from './workers.js';

/** All commands, in the order of the help. To add one, add a file to this folder and a line here. */
export const COMMANDS: readonly AddCommand[] = [
  addMigrate,
  addDoctor,
  addVerify,
  addStatus,
  addStats,
  addWorkers,
  addJob,
  addSearch,
  addPause,
  addResume,
  addRetry,
  addCancel,
  addEnqueue,
  addCopy,
  addEdit,
  addReschedule,
  addDelete,
  addBulk,
  addFailures,
  addBlocked,
  addSkip,
  addSubscriptions,
  addReplay,
  addUnsubscribe,
  addPrune,
  addImport,
];
