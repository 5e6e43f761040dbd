import type { Dialect } from '../../engine/dialect.js';
import { type Operation, change } from '../../engine/operation.js';
import { chunksBySize } from '../base/chunks.js';
import { fenced, inKeyOrderOf } from '../base/locks/fence.js';
import { classifyUnlocked } from '../base/locks/classify-unlocked.js';
import { type FinishedJob, assignmentsOf, finishedBytes } from './finish-jobs.js';
import type { Finished } from './finish-with-keys.js';

/** Whether a job that succeeds changes nothing but its row, and the same columns as other such jobs. */
export function isPlain({ job, state, error, progress }: FinishedJob): boolean {
  const hasOwnRowOnly = job.uniqueKey === null && job.groupId === null && job.orderKey === null;
  return state === 'succeeded' && error === null && progress === null && hasOwnRowOnly;
}

/**
 * running → succeeded, for plain jobs, outside a transaction: one statement that fails where a row is locked.
 *
 * Index and locks: the jobs' rows by primary key, in its order, under the fence. See `Dialect.updateUnlocked` and
 * docs/decisions/0147. If the process dies, the statement has taken effect or not. If it is repeated, the jobs that the
 * first try has finished count as finished.
 *
 * @returns undefined where `finishJobs` must finish them: the server has no such statement, or it met a locked row.
 */
export function* finishPlainJobs(
  dialect: Dialect,
  jobs: readonly FinishedJob[],
): Operation<Finished<FinishedJob> | undefined> {
  const inOrder = inKeyOrderOf(jobs, ({ job }) => job);
  // Of two attempts of one job only one is held, and the statement finds its result by the id.
  if (inOrder.some(({ job }, index) => index > 0 && job.id.equals(inOrder[index - 1]!.job.id))) {
    return undefined;
  }
  const finished: FinishedJob[] = [];
  const busy: FinishedJob[] = [];
  for (const chunk of chunksBySize(dialect, inOrder, inOrder.length, finishedBytes)) {
    const update = dialect.updateUnlocked?.(
      dialect.tables.job,
      fenced(
        dialect,
        chunk.map(({ job }) => job),
      ),
      assignmentsOf(dialect, chunk, false),
    );
    try {
      if (update === undefined) {
        return undefined;
      }
      if ((yield* change(update)) === chunk.length) {
        finished.push(...chunk);
        continue;
      }
    } catch (error) {
      if (dialect.isLockWaitTimeout(error)) {
        return undefined;
      }
      throw error;
    }
    const unlocked = yield* classifyUnlocked(dialect, chunk, ({ job }) => job, 'skip');
    finished.push(...unlocked.ended);
    busy.push(...unlocked.busy);
  }
  return { finished, busy };
}
