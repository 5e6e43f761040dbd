import { type EnqueuedGroup, type GroupOptions, type JobDefinition, jobGroup } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import type { Callback } from '../journal/entries.js';
import type { Random } from '../random.js';
import type { ActParts } from './acts.js';
import { type Payload, callbackJob, doomedJob, plainJob } from './definitions.js';

/** How many members a group has at most. */
const MOST_MEMBERS = 4;
/** How many of them fail for good or are groups, and how many of the groups have one that is cancelled. */
const CHANCES = { doomed: 0.15, group: 0.15, cancelled: 0.2 } as const;
/** How long that one waits, in ms: for longer than a machine without room is late. */
const DELAY = 10_000;

/** A job of a group. */
interface DrawnJob {
  readonly token: string;
  readonly kind: string;
}

/** What is a member of a group: a job, or a group that one of its callbacks stands for. */
interface DrawnMember extends DrawnJob {
  readonly group?: DrawnGroup;
}

/** A group to be enqueued, and three jobs that wait for it. */
export interface DrawnGroup {
  readonly options: GroupOptions<Payload[], Payload, Payload, Payload>;
  readonly members: readonly DrawnMember[];
  /** Their tokens. */
  readonly callbacks: Readonly<Record<Callback, string>>;
  /** The index of the member that is to be cancelled. */
  readonly toBeCancelled: number | undefined;
}

/**
 * @param payload draws that of a job.
 * @param isInside whether the group is a member of another one.
 */
export function drawGroup(random: Random, payload: () => Payload, isInside = false): DrawnGroup {
  const count = random.whole(1, MOST_MEMBERS);
  const toBeCancelled = !isInside && random.chance(CHANCES.cancelled) ? random.whole(0, count - 1) : undefined;
  const members = Array.from({ length: count }, (_each, index) => {
    if (index === toBeCancelled) {
      return job(plainJob, payload(), DELAY);
    }
    if (!isInside && random.chance(CHANCES.group)) {
      const group = drawGroup(random, payload, true);
      return { token: group.callbacks.onSuccess, kind: callbackJob.name, group, option: jobGroup(group.options) };
    }
    return job(random.chance(CHANCES.doomed) ? doomedJob : plainJob, payload());
  });
  const callback = () => ({ definition: callbackJob, payload: payload() });
  const callbacks = { onSuccess: callback(), onFailure: callback(), onComplete: callback() };
  return {
    options: { jobs: members.map(({ option }) => option), ...callbacks },
    members,
    callbacks: {
      onSuccess: callbacks.onSuccess.payload.token,
      onFailure: callbacks.onFailure.payload.token,
      onComplete: callbacks.onComplete.payload.token,
    },
    toBeCancelled,
  };
}

function job(definition: JobDefinition<Payload>, payload: Payload, delay = 0) {
  return { token: payload.token, kind: definition.name, option: { definition, payload, delay } };
}

/** All jobs of a group, and of the groups in it. */
export function jobsOf({ members, callbacks }: DrawnGroup): DrawnJob[] {
  return [
    ...members.flatMap((member) => (member.group ? jobsOf(member.group) : [member])),
    ...Object.values(callbacks).map((token) => ({ token, kind: callbackJob.name })),
  ];
}

/** Enqueues a group, and notes it before and behind. Undefined where that has failed. */
export async function storeGroup(
  { queue, journal }: ActParts,
  group: DrawnGroup,
  within?: { readonly manager: EntityManager; readonly transaction: string },
): Promise<EnqueuedGroup | undefined> {
  const { members, callbacks } = group;
  const jobs = jobsOf(group);
  for (const each of [group, ...members.flatMap((member) => member.group ?? [])]) {
    journal.note({ act: 'group', members: each.members.map(({ token }) => token), callbacks: each.callbacks });
  }
  for (const { token, kind } of jobs) {
    journal.note({ act: 'enqueue', token, kind, way: 'group', ...(within && { transaction: within.transaction }) });
  }
  try {
    const stored = await queue.groups.enqueue(group.options, within && { manager: within.manager });
    // Of a group inside another one nothing is told but the id of the job that stands for it.
    members.forEach(({ token }, index) => {
      journal.note({ act: 'enqueued', token, id: stored.jobs[index]!.id, created: true });
    });
    for (const [name, token] of Object.entries(callbacks) as [Callback, string][]) {
      journal.note({ act: 'enqueued', token, id: stored[name]!, created: true });
    }
    return stored;
  } catch (error) {
    jobs.forEach(({ token }) => journal.note({ act: 'refused', token, error: String(error) }));
    return undefined;
  }
}
