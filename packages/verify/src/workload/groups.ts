import { type EnqueuedGroup, type GroupOptions, type JobDefinition, jobGroup } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import type { Callback } from '../journal/journal-entry.js';
import type { ProcessContext } from '../processes/run-process.js';
import type { Random } from '../random.js';
import { type Payload, callbackJob, doomedJob, plainJob } from './definitions.js';

const MOST_MEMBERS = 4;
/** The shares of members that fail or are groups, and of groups with a cancelled member. */
const CHANCES = { doomed: 0.15, group: 0.15, cancelled: 0.2 } as const;
/** How long the member to cancel is delayed, in ms. Longer than a busy machine is late. */
const DELAY = 10_000;

interface DrawnJob {
  readonly token: string;
  readonly kind: string;
}

/** A member of a group: a job, or the callback `onSuccess` of a nested group. */
interface DrawnMember extends DrawnJob {
  readonly group?: DrawnGroup;
}

/** A group to enqueue, with three callbacks. */
export interface DrawnGroup {
  readonly options: GroupOptions<Payload[], Payload, Payload, Payload>;
  readonly members: readonly DrawnMember[];
  /** Their tokens. */
  readonly callbacks: Readonly<Record<Callback, string>>;
  /** The index of the member to cancel. */
  readonly indexToCancel: number | undefined;
}

/**
 * Draws a random group.
 *
 * @param drawPayload draws the payload of a job.
 * @param isNested whether the group is a member of another one.
 */
export function drawGroup(random: Random, drawPayload: () => Payload, isNested = false): DrawnGroup {
  const count = random.integer(1, MOST_MEMBERS);
  const indexToCancel = !isNested && random.chance(CHANCES.cancelled) ? random.integer(0, count - 1) : undefined;
  const members = Array.from({ length: count }, (_each, index) => {
    if (index === indexToCancel) {
      return createMember(plainJob, drawPayload(), DELAY);
    }
    if (!isNested && random.chance(CHANCES.group)) {
      const group = drawGroup(random, drawPayload, true);
      return { token: group.callbacks.onSuccess, kind: callbackJob.name, group, option: jobGroup(group.options) };
    }
    return createMember(random.chance(CHANCES.doomed) ? doomedJob : plainJob, drawPayload());
  });
  const createCallback = () => ({ definition: callbackJob, payload: drawPayload() });
  const callbacks = { onSuccess: createCallback(), onFailure: createCallback(), onComplete: createCallback() };
  return {
    options: { jobs: members.map(({ option }) => option), ...callbacks },
    members,
    callbacks: {
      onSuccess: callbacks.onSuccess.payload.token,
      onFailure: callbacks.onFailure.payload.token,
      onComplete: callbacks.onComplete.payload.token,
    },
    indexToCancel,
  };
}

function createMember(definition: JobDefinition<Payload>, payload: Payload, delay = 0) {
  return { token: payload.token, kind: definition.name, option: { definition, payload, delay } };
}

/** Returns all jobs of a group and of its nested groups. */
export function jobsOf({ members, callbacks }: DrawnGroup): DrawnJob[] {
  return [
    ...members.flatMap((member) => (member.group ? jobsOf(member.group) : [member])),
    ...Object.values(callbacks).map((token) => ({ token, kind: callbackJob.name })),
  ];
}

/** Enqueues a group, and records it before and after. Returns undefined if the enqueue failed. */
export async function enqueueGroup(
  { queue, journal }: ProcessContext,
  group: DrawnGroup,
  within?: { readonly manager: EntityManager; readonly transaction: string },
): Promise<EnqueuedGroup | undefined> {
  const { members, callbacks } = group;
  const jobs = jobsOf(group);
  for (const each of [group, ...members.flatMap((member) => member.group ?? [])]) {
    journal.write({ event: 'group', members: each.members.map(({ token }) => token), callbacks: each.callbacks });
  }
  for (const { token, kind } of jobs) {
    const transaction = within && { transaction: within.transaction };
    journal.write({ event: 'enqueue', token, kind, method: 'group', ...transaction });
  }
  try {
    const stored = await queue.groups.enqueue(group.options, within && { manager: within.manager });
    // For a nested group only the id of its callback `onSuccess` is returned.
    members.forEach(({ token }, index) => {
      journal.write({ event: 'enqueued', token, id: stored.jobs[index]!.id, created: true });
    });
    for (const [name, token] of Object.entries(callbacks) as [Callback, string][]) {
      journal.write({ event: 'enqueued', token, id: stored[name]!, created: true });
    }
    return stored;
  } catch (error) {
    jobs.forEach(({ token }) => journal.write({ event: 'enqueue-failed', token, error: String(error) }));
    return undefined;
  }
}
