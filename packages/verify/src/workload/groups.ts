import type { EnqueuedGroup, GroupOptions } from '@tablequeue/typeorm';
import type { EntityManager } from 'typeorm';

import type { Callback } from '../journal/entries.js';
import type { Random } from '../random.js';
import type { ActParts } from './acts.js';
import { type Payload, callbackJob, doomedJob, plainJob } from './definitions.js';

/** How many members a group has at most. */
const MOST_MEMBERS = 4;
/** How many of them fail for good, and how many of the groups have one that is cancelled. */
const CHANCES = { doomed: 0.15, cancelled: 0.2 } as const;
/** How long that one waits, in ms: for longer than a machine without room is late. */
const DELAY = 10_000;

/** A group to be enqueued: up to four jobs, and three that wait for them. */
export interface DrawnGroup {
  readonly options: GroupOptions<Payload[], Payload, Payload, Payload>;
  readonly members: readonly { readonly token: string; readonly kind: string }[];
  /** Their tokens. */
  readonly callbacks: Readonly<Record<Callback, string>>;
  /** The index of the member that is to be cancelled. */
  readonly toBeCancelled: number | undefined;
}

/** @param payload draws that of a job. */
export function drawGroup(random: Random, payload: () => Payload): DrawnGroup {
  const count = random.whole(1, MOST_MEMBERS);
  const toBeCancelled = random.chance(CHANCES.cancelled) ? random.whole(0, count - 1) : undefined;
  const jobs = Array.from({ length: count }, (_each, index) => ({
    definition: random.chance(CHANCES.doomed) ? doomedJob : plainJob,
    payload: payload(),
    delay: index === toBeCancelled ? DELAY : 0,
  }));
  const callback = () => ({ definition: callbackJob, payload: payload() });
  const callbacks = { whenSucceeded: callback(), whenFailed: callback(), whenDone: callback() };
  return {
    options: { jobs, ...callbacks },
    members: jobs.map((job) => ({ token: job.payload.token, kind: job.definition.name })),
    callbacks: {
      whenSucceeded: callbacks.whenSucceeded.payload.token,
      whenFailed: callbacks.whenFailed.payload.token,
      whenDone: callbacks.whenDone.payload.token,
    },
    toBeCancelled,
  };
}

/** The tokens of all jobs of a group. */
export function tokensOf({ members, callbacks }: DrawnGroup): string[] {
  return [...members.map(({ token }) => token), ...Object.values(callbacks)];
}

/** Enqueues a group, and notes it before and behind. Undefined where that has failed. */
export async function storeGroup(
  { queue, journal }: ActParts,
  group: DrawnGroup,
  within?: { readonly manager: EntityManager; readonly transaction: string },
): Promise<EnqueuedGroup | undefined> {
  const { members, callbacks } = group;
  const tokens = tokensOf(group);
  journal.note({ act: 'group', members: members.map(({ token }) => token), callbacks });
  tokens.forEach((token, index) => {
    const kind = members[index]?.kind ?? callbackJob.name;
    journal.note({ act: 'enqueue', token, kind, way: 'group', ...(within && { transaction: within.transaction }) });
  });
  try {
    const stored = await queue.groups.enqueue(group.options, within && { manager: within.manager });
    members.forEach(({ token }, index) => {
      journal.note({ act: 'enqueued', token, id: stored.jobs[index]!.id, created: true });
    });
    for (const [name, token] of Object.entries(callbacks) as [Callback, string][]) {
      journal.note({ act: 'enqueued', token, id: stored[name]!, created: true });
    }
    return stored;
  } catch (error) {
    tokens.forEach((token) => journal.note({ act: 'refused', token, error: String(error) }));
    return undefined;
  }
}
