import { setTimeout as sleep } from 'node:timers/promises';

import { forEachBatch } from '../../async/batches.js';
import { firstIdAt } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { findGroupStates, findOpenGroups, isGroupDue } from '../../store/groups/find-due-groups.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import type { QueuedJob } from '../../store/base/queued-job.js';
import { GROUPS_PER_STATEMENT, type TriggeredCallbacks, triggerCallbacks } from '../../store/groups/trigger-callbacks.js';

const LOOK = { purpose: 'look for groups to release', readOnly: true };
/** How often a group is looked at again that somebody else was releasing, and how long after the first time, in ms. */
const TRIES = 6;
const FIRST_PAUSE = 5;
const RELEASE = { purpose: 'release groups', atomic: true };

/**
 * Looks at groups some of whose members have ended, and releases the callbacks of those that are due. A cancelled
 * callback may end a member of another group: that one is looked at too.
 *
 * One read for all of them, as a rule nothing more. A group that somebody else is releasing at the same time is looked
 * at again for a third of a second, twice as long each time; then it is left to the reaper.
 *
 * @returns the callbacks that are ready now.
 */
export async function triggerIfDue(engine: Engine, ids: readonly Buffer[]): Promise<QueuedJob[]> {
  const ready: QueuedJob[] = [];
  let tries = 0;
  for (let next = ids; next.length > 0;) {
    const due: Buffer[] = [];
    for (const part of chunksOf(next, MOST_IDS)) {
      const states = await engine.execute((dialect) => findGroupStates(dialect, part), LOOK);
      due.push(...states.filter(isGroupDue).map(({ id }) => id));
    }
    const released = await release(engine, due);
    ready.push(...released.ready);
    next = released.groups;
    if (released.skipped.length > 0 && tries < TRIES) {
      await sleep(FIRST_PAUSE * 2 ** tries++);
      next = [...released.groups, ...released.skipped];
    }
  }
  return ready;
}

/**
 * Releases all groups that are due: what a process that died after it had ended a member has left, and what was locked
 * before.
 *
 * Groups that cannot be released keep no others from it: what went wrong first is thrown when all have had their turn.
 *
 * @returns the callbacks that are ready now.
 */
export async function triggerAllDue(engine: Engine, signal?: AbortSignal): Promise<QueuedJob[]> {
  const ready: QueuedJob[] = [];
  const failures: unknown[] = [];
  await forEachBatch<Buffer>(
    firstIdAt(0),
    async (after) => {
      const { states, end } = await engine.execute((dialect) => findOpenGroups(dialect, after), LOOK);
      const due = states.filter(isGroupDue).map(({ id }) => id);
      for (const part of chunksOf(due, GROUPS_PER_STATEMENT)) {
        try {
          const released = await release(engine, part);
          ready.push(...released.ready, ...(await triggerIfDue(engine, released.groups)));
        } catch (error) {
          failures.push(error);
        }
      }
      return end;
    },
    signal,
  );
  if (failures.length > 0) {
    throw failures[0];
  }
  return ready;
}

async function release(engine: Engine, due: readonly Buffer[]): Promise<TriggeredCallbacks> {
  const total = { ready: [] as QueuedJob[], groups: [] as Buffer[], skipped: [] as Buffer[] };
  for (const ids of chunksOf(due, GROUPS_PER_STATEMENT)) {
    const { ready, groups, skipped } = await engine.execute((dialect) => triggerCallbacks(dialect, ids), RELEASE);
    total.ready.push(...ready);
    total.groups.push(...groups);
    total.skipped.push(...skipped);
  }
  return total;
}
