import { attemptsIncrease, fenced, oneFinalState, rerunsExplained } from './attempts.js';
import { effectsOnce, noRolledBackJob, noneBeforeCommit } from './transactions.js';
import { enqueuesInTime, notBeforeDue, wokenInTime } from './times.js';
import { maintenanceGoesOn, nothingWithoutJob, runningIsRun } from './healed-state.js';
import { eventsDelivered } from './events-delivered.js';
import { groupsReleased } from './groups-released.js';
import { inOrder, limitsKept, uniqueAlone } from './concurrency.js';
import type { Invariant } from './invariant.js';
import { keysInOrder } from './keys-in-order.js';
import { noJobLost, storedOnce } from './storage.js';
import { startsOrExpires } from './starts-or-expires.js';
import { ratesKept } from './rates-kept.js';
import { stepsOnce } from './steps-once.js';
import { nothingLeftOpen } from './nothing-left-open.js';

/** All checks, in the order of the verdict. A new one is added here. */
export const INVARIANTS: readonly Invariant[] = [
  noJobLost,
  storedOnce,
  noRolledBackJob,
  noneBeforeCommit,
  oneFinalState,
  attemptsIncrease,
  fenced,
  effectsOnce,
  stepsOnce,
  groupsReleased,
  eventsDelivered,
  rerunsExplained,
  inOrder,
  keysInOrder,
  uniqueAlone,
  limitsKept,
  ratesKept,
  notBeforeDue,
  startsOrExpires,
  enqueuesInTime,
  wokenInTime,
  runningIsRun,
  nothingWithoutJob,
  maintenanceGoesOn,
  nothingLeftOpen,
];
