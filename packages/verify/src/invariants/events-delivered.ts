import { REPLAY_JOB, groupBy } from '@tablequeue/typeorm/internal';

import type { Evidence } from '../evidence/evidence.js';
import type { EnqueueRecord, JobEvidence } from '../evidence/gathered-evidence.js';
import { ARCHIVE, HISTORY, SUBSCRIPTIONS, deliveryOf, deliveryToken, publishedEvent } from '../workload/events.js';
import type { Invariant, Violation } from './invariant.js';

/** How many jobs a subscription must have for an event. */
interface Expected {
  readonly least: number;
  readonly most: number;
}

const NONE: Expected = { least: 0, most: 0 };

/**
 * All workers have three subscriptions before the first fault, so each event belongs to them. `HISTORY` is registered
 * later, and gets the events before too. Whether a publish without an answer was stored is unknown. Then the job of the
 * event decides: all subscriptions or none.
 */
export const eventsDelivered: Invariant = {
  name: 'events-delivered',
  guarantee:
    'Each subscription has exactly one job, which has succeeded, for each event whose publish was committed, and for ' +
    'each replay of it, and none before the commit or for another event.',
  check(evidence) {
    const jobs = groupBy(evidence.all.jobs.values(), ({ token }) => deliveryOf(token));
    const enqueues = [...evidence.all.enqueues.values()];
    const publishes = enqueues.filter(({ kind }) => kind === publishedEvent.name);
    const replays = enqueues.filter(({ kind }) => kind === REPLAY_JOB);
    return publishes.flatMap((publish) =>
      SUBSCRIPTIONS.flatMap((subscription): Violation[] => {
        const own = jobs.get(deliveryOf(deliveryToken(publish.token, subscription, ''))) ?? [];
        const expected = expectedOf(subscription, publish, replays, evidence);
        const text = findError(publish, own, expected, evidence);
        const ids = [publish.id ?? publish.token, ...own.map(({ id }) => id)];
        return text === undefined ? [] : [{ text: `The subscription ${subscription} ${text}.`, ids }];
      }),
    );
  },
};

function expectedOf(
  subscription: string,
  publish: EnqueueRecord,
  replays: readonly EnqueueRecord[],
  evidence: Evidence,
): Expected {
  if (!wasCommitted(publish, evidence)) {
    return NONE;
  }
  const event = evidence.byToken.get(publish.token);
  const { subscribedAt, faults } = evidence.all;
  // A replay reads events by the time of their ends.
  const isClockWrong = faults.some(({ allows }) => allows.includes('clock'));
  // An event whose job has not ended is reported by `no-job-lost`.
  const mayBeMissing =
    event?.live !== undefined ||
    (subscription === HISTORY.subscription &&
      (isClockWrong || (subscribedAt !== undefined && evidence.mayBeLost(subscribedAt))));
  const replayed =
    subscription !== ARCHIVE.subscription
      ? NONE
      : isClockWrong
        ? { least: 0, most: replays.length }
        : countReplays(event, replays, evidence);
  return { least: mayBeMissing ? 0 : 1 + replayed.least, most: 1 + replayed.most };
}

/** Counts the replays of an event. Those that ran while it ended may have read it or not. */
function countReplays(
  event: JobEvidence | undefined,
  replays: readonly EnqueueRecord[],
  { byToken }: Evidence,
): Expected {
  const endedAt = event?.final?.finishedAt ?? Infinity;
  let { least, most } = NONE;
  for (const { token, replayedFrom = 0 } of replays) {
    const replay = byToken.get(token);
    if (replay && replayedFrom <= endedAt) {
      least += replay.final && endedAt < replay.final.createdAt ? 1 : 0;
      most += replay.final && endedAt > replay.final.finishedAt ? 0 : 1;
    }
  }
  return { least, most };
}

function findError(
  publish: EnqueueRecord,
  jobs: readonly JobEvidence[],
  { least, most }: Expected,
  evidence: Evidence,
): string | undefined {
  if (jobs.length < least || jobs.length > most) {
    const count = least === most ? least : `${least} to ${most}`;
    return most === 0
      ? `has ${jobs.length} jobs for an event whose publish was not committed`
      : `has ${jobs.length} jobs for an event, not ${count}`;
  }
  const ended = jobs.find(({ final }) => final && final.state !== 'succeeded');
  if (ended) {
    return `has a job for an event that has ${ended.final?.state}`;
  }
  const committingAt = evidence.all.transactions.get(publish.transaction ?? '')?.committingAt;
  return committingAt !== undefined && jobs.some(({ calls }) => calls.some(({ from }) => from < committingAt))
    ? 'ran a job for an event before its publish was committed'
    : undefined;
}

/** The row of a transaction shows whether it was committed, also after a loss. */
function wasCommitted({ token, transaction, id, to }: EnqueueRecord, evidence: Evidence): boolean {
  if (transaction !== undefined) {
    return evidence.all.orders.has(token);
  }
  return evidence.byToken.has(token) || (id !== undefined && to !== undefined && !evidence.mayBeLost(to));
}
