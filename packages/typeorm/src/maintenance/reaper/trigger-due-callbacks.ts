import { setTimeout as sleep } from 'node:timers/promises';

import { forEachBatch } from '../../async/batches.js';
import { firstIdAt } from '../../definition/job-id.js';
import type { Engine } from '../../engine/engine.js';
import { MOST_IDS, chunksOf } from '../../store/base/chunks.js';
import type { QueuedJob } from '../../store/base/jobs/queued-job.js';
import { findGroupStates, findOpenGroups, isGroupDue } from '../../store/groups/find-due-groups.js';
import {
  GROUPS_PER_STATEMENT,
  type TriggeredCallbacks,
  triggerCallbacks,
} from '../../store/groups/trigger-callbacks.js';

const READ = { purpose: 'read the state of groups', readOnly: true };
const TRIGGER = { purpose: 'trigger callbacks of groups', atomic: true };

/** How often a group is checked again that another transaction has locked, and the first delay in ms; it doubles. */
const MAX_RETRIES = 6;
const FIRST_DELAY = 5;

/**
 * Checks groups with newly finished members, and triggers the callbacks of those that are due. A cancelled callback may
 * be a member of another group: that group is checked too.
 *
 * Usually one read for all of them. A group that another transaction has locked is checked again for a third of a
 * second; then it is left to the reaper.
 *
 * @returns the callbacks that are ready now.
 */
export async function triggerIfDue(engine: Engine, ids: readonly Buffer[]): Promise<QueuedJob[]> {
  const ready: QueuedJob[] = [];
  let retries = 0;
  for (let next = ids; next.length > 0;) {
    const due: Buffer[] = [];
    for (const chunk of chunksOf(next, MOST_IDS)) {
      const states = await engine.execute((dialect) => findGroupStates(dialect, chunk), READ);
      due.push(...states.filter(isGroupDue).map(({ id }) => id));
    }
    const triggered = await trigger(engine, due);
    ready.push(...triggered.ready);
    next = triggered.groups;
    if (triggered.skipped.length > 0 && retries < MAX_RETRIES) {
      await sleep(FIRST_DELAY * 2 ** retries++);
      next = [...triggered.groups, ...triggered.skipped];
    }
  }
  return ready;
}

/**
 * Triggers the callbacks of all due groups: those that a dead process has not triggered, and those that were locked. An
 * error with one group does not prevent the others: the first error is thrown at the end.
 *
 * @param onReady called with each queue in which callbacks became ready.
 * @returns how many callbacks are ready now.
 */
export async function triggerAllDue(
  engine: Engine,
  onReady: (queue: string) => void,
  signal?: AbortSignal,
): Promise<number> {
  const ready: QueuedJob[] = [];
  const failures: unknown[] = [];
  await forEachBatch<Buffer>(
    firstIdAt(0),
    async (after) => {
      const { states, end } = await engine.execute((dialect) => findOpenGroups(dialect, after), READ);
      const due = states.filter(isGroupDue).map(({ id }) => id);
      for (const chunk of chunksOf(due, GROUPS_PER_STATEMENT)) {
        try {
          const triggered = await trigger(engine, chunk);
          ready.push(...triggered.ready, ...(await triggerIfDue(engine, triggered.groups)));
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
  new Set(ready.map(({ queue }) => queue)).forEach((queue) => onReady(queue));
  return ready.length;
}

async function trigger(engine: Engine, due: readonly Buffer[]): Promise<TriggeredCallbacks> {
  const total = { ready: [] as QueuedJob[], groups: [] as Buffer[], skipped: [] as Buffer[] };
  for (const ids of chunksOf(due, GROUPS_PER_STATEMENT)) {
    const { ready, groups, skipped } = await engine.execute((dialect) => triggerCallbacks(dialect, ids), TRIGGER);
    total.ready.push(...ready);
    total.groups.push(...groups);
    total.skipped.push(...skipped);
  }
  return total;
}
