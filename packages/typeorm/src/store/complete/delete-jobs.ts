import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import type { ClaimedJob } from '../base/claimed-job.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteKeys } from '../base/delete-keys.js';
import { completeGroupMembers } from '../base/complete-group-members.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';
import { type IfLocked, lockRunning } from './lock-running.js';

/**
 * running → nowhere, for jobs that have succeeded and of which nothing is to be kept: out of the live table, with their
 * keys and errors, in one transaction.
 *
 * Index: the primary keys. Locks: the jobs' rows, in the order of their ids, under the fence: see `lock-running.ts`. If
 * the process dies before the commit the jobs run again, as with `finishJobs`.
 *
 * Unique keys are let go of in the same transaction: see `finish-with-keys.ts`. So are groups told of their members.
 *
 * @param wasTried whether an earlier try may have dropped a job: then it is in neither table.
 */
export function deleteJobs(
  dialect: Dialect,
  jobs: readonly ClaimedJob[],
  wasTried: (job: ClaimedJob) => boolean,
  ifLocked: IfLocked = 'pass over',
): Operation<Finished<ClaimedJob>> {
  return finishWithKeys(dialect, jobs, itself, (free) => dropFree(dialect, free, wasTried, ifLocked));
}

const itself = (job: ClaimedJob): ClaimedJob => job;

function* dropFree(
  dialect: Dialect,
  jobs: readonly ClaimedJob[],
  wasTried: (job: ClaimedJob) => boolean,
  ifLocked: IfLocked,
): Operation<Finished<ClaimedJob>> {
  const { ours, fence, gone, busy } = yield* lockRunning(dialect, jobs, itself, ifLocked);
  yield* deleteKeys(dialect, ours);
  yield* deleteById(
    dialect,
    'error',
    ours.filter(({ attempt }) => attempt > 1).map(({ id }) => id),
  );
  if (ours.length > 0) {
    yield* change(`${dialect.deleteFrom(dialect.tables.job)} WHERE ${fence.sql}`, fence.parameters);
    yield* completeGroupMembers(
      dialect,
      ours.map(({ id, groupId }) => ({ id, groupId, outcome: 'succeeded' })),
    );
  }
  return { finished: gone.length === 0 ? ours : [...ours, ...gone.filter(wasTried)], busy };
}
