import { groupBy } from '@tablequeue/typeorm/internal';

import type { Evidence } from '../evidence/evidence.js';
import type { EnqueueRecord, JobEvidence } from '../evidence/gathered-evidence.js';
import { SUBSCRIPTIONS, deliveryToken, publishedEvent } from '../workload/events.js';
import type { Invariant, Violation } from './invariant.js';

/**
 * All workers have all subscriptions before the first fault, so each event belongs to all of them. Whether a publish
 * without an answer was stored is unknown. Then the job of the event decides: all subscriptions or none.
 */
export const eventsDelivered: Invariant = {
  name: 'events-delivered',
  guarantee:
    'Each subscription has exactly one job, which has succeeded, for each event whose publish was committed, and none ' +
    'before the commit or for another one.',
  check(evidence) {
    const byToken = groupBy(evidence.all.jobs.values(), ({ token }) => token);
    const publishes = [...evidence.all.enqueues.values()].filter(({ kind }) => kind === publishedEvent.name);
    return publishes.flatMap((publish) =>
      SUBSCRIPTIONS.flatMap((subscription): Violation[] => {
        const jobs = byToken.get(deliveryToken(publish.token, subscription)) ?? [];
        const text = findError(publish, jobs, evidence);
        const ids = [publish.id ?? publish.token, ...jobs.map(({ id }) => id)];
        return text === undefined ? [] : [{ text: `The subscription ${subscription} ${text}.`, ids }];
      }),
    );
  },
};

function findError(publish: EnqueueRecord, jobs: readonly JobEvidence[], evidence: Evidence): string | undefined {
  if (!wasCommitted(publish, evidence)) {
    return jobs.length > 0 ? `has ${jobs.length} jobs for an event whose publish was not committed` : undefined;
  }
  // An event whose job has not ended is reported by `no-job-lost`.
  const event = evidence.byToken.get(publish.token);
  if (jobs.length !== 1) {
    return event?.live && jobs.length === 0 ? undefined : `has ${jobs.length} jobs for an event, not one`;
  }
  const [{ final, calls }] = jobs as readonly [JobEvidence];
  if (final && final.state !== 'succeeded') {
    return `has a job for an event that has ${final.state}`;
  }
  const committingAt = evidence.all.transactions.get(publish.transaction ?? '')?.committingAt;
  return committingAt !== undefined && calls.some(({ from }) => from < committingAt)
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
