import { forEachBatch, repeatUntilDone } from '../../async/batches.js';
import { BEFORE_ALL_IDS, firstIdAt } from '../../definition/job-id.js';
import { type Engine, executeRead } from '../../engine/engine.js';
import type { Operation } from '../../engine/operation.js';
import type { Dialect } from '../../engine/dialect.js';
import type { QueueLogger } from '../../logger.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import { FIRST_ORDER_KEY, type OrderKey } from '../../store/base/ordered/order-key.js';
import {
  LIVE_START,
  type LiveJobs,
  type LiveCursor,
  findLiveJobs,
  findLostRows,
} from '../../store/repair/find-lost-rows.js';
import { BEFORE_ALL_KEYS, findKeysWithoutJob, freeKeysWithoutJob } from '../../store/repair/keys-without-job.js';
import { freeHeadsWithoutJob } from '../../store/repair/heads-without-job.js';
import { deleteLogsWithoutJob } from '../../store/repair/logs-without-job.js';
import { deleteSignalsWithoutJob } from '../../store/repair/signals-without-job.js';
import { cancelMembersWithoutJob, findGroupsWithoutJobs } from '../../store/repair/members-without-job.js';
import { restoreMembers } from '../../store/repair/restore-members.js';
import { restoreUniqueKeys } from '../../store/repair/restore-unique-keys.js';

/**
 * Makes the unique keys and the members of groups match the jobs again, after other SQL has deleted rows of one of
 * these tables. Reads all live jobs, unique keys and unfinished groups, page by page. Each batch commits separately.
 * See docs/decisions/0113.
 *
 * @param signal stops it between two pages; the next run repairs the rest.
 */
export async function repairRows(
  engine: Engine,
  logger: QueueLogger | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const done = { takenKeys: 0, restoredMembers: 0, freedKeys: 0, cancelledMembers: 0, freedOrderKeys: 0 };
  const purpose = 'repair rows of jobs';
  const read = <T>(operation: (dialect: Dialect) => Operation<T>) => executeRead(engine, purpose, operation);
  const repair = (operation: (dialect: Dialect) => Operation<number>) =>
    engine.execute(operation, { purpose, atomic: true });

  const restoreLost = async (live: LiveJobs, after: LiveCursor) => {
    const { keys, members, end } = await read((dialect) => findLostRows(dialect, live, after));
    for (const chunk of chunksOf(keys, MOST_IDS)) {
      done.takenKeys += await repair((dialect) => restoreUniqueKeys(dialect, chunk));
    }
    for (const chunk of chunksOf(members, MOST_IDS)) {
      done.restoredMembers += await repair((dialect) => restoreMembers(dialect, chunk));
    }
    return end;
  };
  for (const live of await read(findLiveJobs)) {
    await forEachBatch(LIVE_START, (after) => restoreLost(live, after), signal);
  }

  const freeKeys = async (after: typeof BEFORE_ALL_KEYS) => {
    const { keys, end } = await read((dialect) => findKeysWithoutJob(dialect, after));
    for (const chunk of chunksOf(keys, MOST_IDS)) {
      done.freedKeys += await repair((dialect) => freeKeysWithoutJob(dialect, chunk));
    }
    return end;
  };
  await forEachBatch(BEFORE_ALL_KEYS, freeKeys, signal);

  const cancelMembers = async (after: Buffer) => {
    const { groups, end } = await read((dialect) => findGroupsWithoutJobs(dialect, after));
    for (const group of groups) {
      await repeatUntilDone(async () => {
        const cancelled = await repair((dialect) => cancelMembersWithoutJob(dialect, group));
        done.cancelledMembers += cancelled;
        return cancelled === MOST_IDS;
      });
    }
    return end;
  };
  await forEachBatch(firstIdAt(0), cancelMembers, signal);
  const deleteSignals = async (after: Buffer) => {
    const { end } = await engine.execute((dialect) => deleteSignalsWithoutJob(dialect, after), {
      purpose: 'delete signals of finished jobs',
      atomic: true,
    });
    return end;
  };
  await forEachBatch(BEFORE_ALL_IDS, deleteSignals, signal);
  const deleteLogs = (after: Buffer) =>
    engine.execute((dialect) => deleteLogsWithoutJob(dialect, after), {
      purpose: 'delete logs without a job',
      atomic: true,
    });
  await forEachBatch(BEFORE_ALL_IDS, deleteLogs, signal);
  const freeHeads = async (after: OrderKey) => {
    const { freed, end } = await engine.execute((dialect) => freeHeadsWithoutJob(dialect, after), {
      purpose,
      atomic: true,
    });
    done.freedOrderKeys += freed;
    return end;
  };
  await forEachBatch(FIRST_ORDER_KEY, freeHeads, signal);
  report(done, logger);
}

function report(done: Readonly<Record<string, number>>, logger: QueueLogger | undefined): void {
  if (Object.values(done).some((count) => count > 0)) {
    const { takenKeys, restoredMembers, freedKeys, cancelledMembers, freedOrderKeys } = done;
    logger?.warn(
      `Rows of jobs were deleted by something else and repaired: ${takenKeys} unique keys were taken again and ` +
        `${freedKeys} freed, ${restoredMembers} members of groups were restored and ${cancelledMembers} cancelled, and ` +
        `${freedOrderKeys} order keys were freed.`,
    );
  }
}
