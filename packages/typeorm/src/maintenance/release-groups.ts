import { walk } from '../batches.js';
import { firstIdAt } from '../definition/job-id.js';
import type { Engine } from '../engine/engine.js';
import { inKeyOrder } from '../store/fence.js';
import { findGroupStates, findOpenGroups, isDue } from '../store/find-due-groups.js';
import { MOST_IDS, inParts } from '../store/in-parts.js';
import { GROUPS_PER_RELEASE, type ReadyCallback, releaseGroups } from '../store/release-groups.js';

const LOOK = { purpose: 'look for groups to release', readOnly: true };
const RELEASE = { purpose: 'release groups', atomic: true };

/**
 * Looks at groups some of whose members have ended, and releases the callbacks of those that are due. A cancelled
 * callback may end a member of another group: that one is looked at too.
 *
 * One read for all of them, as a rule nothing more.
 *
 * @returns the callbacks that are ready now.
 */
export async function releaseIfDue(engine: Engine, ids: readonly Buffer[]): Promise<ReadyCallback[]> {
  const ready: ReadyCallback[] = [];
  for (let next = ids; next.length > 0;) {
    const due: Buffer[] = [];
    for (const part of inParts(next, MOST_IDS)) {
      const states = await engine.execute((dialect) => findGroupStates(dialect, part), LOOK);
      due.push(...states.filter(isDue).map(({ id }) => id));
    }
    next = await release(engine, due, ready);
  }
  return ready;
}

/**
 * Releases all groups that are due: what a process that died after it had ended a member has left, and what was locked
 * before.
 *
 * @returns the callbacks that are ready now.
 */
export async function releaseAllDue(engine: Engine, signal?: AbortSignal): Promise<ReadyCallback[]> {
  const ready: ReadyCallback[] = [];
  await walk<Buffer>(
    firstIdAt(0),
    async (after) => {
      const { states, end } = await engine.execute((dialect) => findOpenGroups(dialect, after), LOOK);
      const due = states.filter(isDue).map(({ id }) => id);
      ready.push(...(await releaseIfDue(engine, await release(engine, due, ready))));
      return end;
    },
    signal,
  );
  return ready;
}

/** @returns the groups that are to be looked at next. */
async function release(engine: Engine, due: readonly Buffer[], ready: ReadyCallback[]): Promise<Buffer[]> {
  const next: Buffer[] = [];
  for (const part of inParts(inKeyOrder(due.map((id) => ({ id }))), GROUPS_PER_RELEASE)) {
    const ids = part.map(({ id }) => id);
    const released = await engine.execute((dialect) => releaseGroups(dialect, ids), RELEASE);
    ready.push(...released.ready);
    next.push(...released.groups);
  }
  return next;
}
