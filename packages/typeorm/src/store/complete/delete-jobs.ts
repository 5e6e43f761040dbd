import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { sql } from '../../engine/sql.js';
import type { ClaimedJob } from '../base/jobs/claimed-job.js';
import { deleteById } from '../base/delete-by-id.js';
import { deleteLogs, mayHaveLog } from '../base/jobs/job-log.js';
import { deleteKeys } from '../base/keys/delete-keys.js';
import { deleteStepsAndSignals } from '../base/steps/delete-steps.js';
import { mayHaveSteps } from '../base/steps/jobs-with-steps.js';
import { endHeads } from '../base/ordered/end-ordered.js';
import { completeGroupMembers } from '../base/jobs/complete-group-members.js';
import { type Finished, finishWithKeys } from './finish-with-keys.js';
import type { WhenLocked } from '../base/locks/lock-skipping-locked.js';
import { lockRunning } from '../base/locks/lock-running.js';

/**
 * Deletes succeeded jobs that are not kept, with their keys, errors, steps and logs, in one transaction.
 *
 * Index: the primary keys. Locks: the jobs' rows, in the order of their ids, under the fence: see `lock-running.ts`. If
 * the process dies before the commit the jobs run again, as with `finishJobs`.
 *
 * The same transaction frees unique keys, see `finish-with-keys.ts`, and records the outcome in the jobs' groups.
 *
 * @param wasTried whether an earlier try may have deleted a job: then it has no row.
 */
export function deleteJobs(
  dialect: Dialect,
  jobs: readonly ClaimedJob[],
  wasTried: (job: ClaimedJob) => boolean,
  whenLocked: WhenLocked = 'skip',
): Operation<Finished<ClaimedJob>> {
  return finishWithKeys(dialect, jobs, itself, (free) => deleteUnlocked(dialect, free, wasTried, whenLocked));
}

const itself = (job: ClaimedJob): ClaimedJob => job;

function* deleteUnlocked(
  dialect: Dialect,
  jobs: readonly ClaimedJob[],
  wasTried: (job: ClaimedJob) => boolean,
  whenLocked: WhenLocked,
): Operation<Finished<ClaimedJob>> {
  const { ours, fence, gone, busy } = yield* lockRunning(dialect, jobs, itself, whenLocked);
  yield* deleteKeys(dialect, ours);
  yield* deleteById(
    dialect,
    'error',
    ours.filter(({ attempt }) => attempt > 1).map(({ id }) => id),
  );
  yield* deleteStepsAndSignals(
    dialect,
    ours.filter(mayHaveSteps).map(({ id }) => id),
  );
  yield* deleteLogs(
    dialect,
    ours.filter(mayHaveLog).map(({ id }) => id),
  );
  if (ours.length > 0) {
    yield* change(sql`${dialect.deleteFrom(dialect.tables.job)} WHERE ${fence}`);
    yield* completeGroupMembers(
      dialect,
      ours.map(({ id, groupId }) => ({ id, groupId, outcome: 'succeeded' })),
    );
    yield* endHeads(
      dialect,
      ours.map(({ id, name, orderKey }) => ({ id, name, orderKey, outcome: 'succeeded' })),
    );
  }
  return { finished: gone.length === 0 ? ours : [...ours, ...gone.filter(wasTried)], busy };
}
