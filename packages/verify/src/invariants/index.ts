import { attemptsIncrease } from './attempts-increase.js';
import { effectsOnce } from './effects-once.js';
import { enqueuesInTime } from './enqueues-in-time.js';
import { fenced } from './fenced.js';
import { groupsReleased } from './groups-released.js';
import { inOrder } from './in-order.js';
import type { Invariant } from './invariant.js';
import { limitsKept } from './limits-kept.js';
import { noJobLost } from './no-job-lost.js';
import { noRolledBackJob } from './no-rolled-back-job.js';
import { noneBeforeCommit } from './none-before-commit.js';
import { notBeforeDue } from './not-before-due.js';
import { nothingLeftOpen } from './nothing-left-open.js';
import { oneFinalState } from './one-final-state.js';
import { rerunsExplained } from './reruns-explained.js';
import { storedOnce } from './stored-once.js';
import { uniqueAlone } from './unique-alone.js';
import { wokenInTime } from './woken-in-time.js';

/** All checks, in the order of the verdict. To add one, add a file to this folder and a line here. */
export const INVARIANTS: readonly Invariant[] = [
  noJobLost,
  storedOnce,
  noRolledBackJob,
  noneBeforeCommit,
  oneFinalState,
  attemptsIncrease,
  fenced,
  effectsOnce,
  groupsReleased,
  rerunsExplained,
  inOrder,
  uniqueAlone,
  limitsKept,
  notBeforeDue,
  enqueuesInTime,
  wokenInTime,
  nothingLeftOpen,
];
