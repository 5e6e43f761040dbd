import { groupBy } from '@tablequeue/typeorm/internal';

import type { Evidence } from '../evidence/evidence.js';
import type { EnqueueRecord } from '../evidence/gathered-evidence.js';
import { unkeptJob } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/** A job must end if its enqueue returned, or if its transaction was committed. */
export const noJobLost: Invariant = {
  name: 'no-job-lost',
  guarantee: 'Every job whose enqueue was committed has ended.',
  check(evidence) {
    const violations: Violation[] = [];
    for (const enqueue of evidence.all.enqueues.values()) {
      const text = mustExist(enqueue, evidence) ? findLoss(enqueue, evidence) : undefined;
      if (text !== undefined) {
        violations.push({ text, ids: [enqueue.id ?? enqueue.token] });
      }
    }
    for (const { id, kind, live } of evidence.all.jobs.values()) {
      if (live) {
        violations.push({
          text: `A job (${kind}) is still ${live.state} after attempt ${live.attempt}, though no fault is active.`,
          ids: [id],
        });
      }
    }
    violations.push(...findLostCommits(evidence));
    return violations;
  },
};

/** Finds commits that the database itself lost, as a server does that crashes without flushing them. */
function findLostCommits(evidence: Evidence): Violation[] {
  const { all } = evidence;
  const enqueues = groupBy(all.enqueues.values(), ({ transaction }) => transaction);
  return [...all.transactions].flatMap(([name, { committedAt }]) => {
    const own = enqueues.get(name) ?? [];
    // One row is enough, because jobs after a rolled-back savepoint have none.
    return committedAt === undefined ||
      evidence.mayBeLost(committedAt) ||
      own.some(({ token }) => all.orders.has(token))
      ? []
      : [
          {
            text: 'The server confirmed the commit of a transaction, but nothing of it exists.',
            ids: own.map(({ id, token }) => id ?? token),
          },
        ];
  });
}

/** The rows of transactions show whether the server still has them. For other enqueues, it may have lost the commit. */
function mustExist({ method, token, transaction, id, created, to }: EnqueueRecord, evidence: Evidence): boolean {
  if (transaction !== undefined || method === 'handler') {
    return method !== 'handler' && evidence.all.orders.has(token);
  }
  return id !== undefined && created && !evidence.mayBeLost(to!);
}

function findLoss({ token, kind, method }: EnqueueRecord, { byToken }: Evidence): string | undefined {
  const job = byToken.get(token);
  const isUnkept = kind === unkeptJob.name;
  if (isUnkept && job?.calls.some(({ returned }) => returned)) {
    return undefined;
  }
  if (!job?.final && !job?.live) {
    return (
      `A job (${kind}, enqueued ${METHODS[method]}) is missing` + (isUnkept ? ', and no attempt has succeeded.' : '.')
    );
  }
  return undefined;
}

const METHODS = {
  single: 'alone',
  bulk: 'in bulk',
  transaction: 'in a committed transaction',
  savepoint: 'after a savepoint of a committed transaction',
  group: 'in a group',
  handler: 'by a handler',
} as const;

/** An enqueue without an answer is repeated. The repetition must find the job that the first try stored. */
export const storedOnce: Invariant = {
  name: 'stored-once',
  guarantee: 'Each enqueue stored at most one job, under the id it returned.',
  check({ all }) {
    const violations: Violation[] = [];
    for (const [token, jobs] of groupBy(all.jobs.values(), (job) => job.token)) {
      const { id, kind } = jobs[0];
      const enqueue = all.enqueues.get(token);
      if (jobs.length > 1) {
        violations.push({
          text: `An enqueue (${kind}) stored ${jobs.length} jobs.`,
          ids: jobs.map((job) => job.id),
        });
      } else if (enqueue?.id !== undefined && enqueue.id !== id) {
        const result = enqueue.created ? 'the id' : 'the existing job';
        violations.push({
          text: `An enqueue (${kind}) returned ${result} ${enqueue.id}, but stored another job.`,
          ids: [id],
        });
      }
    }
    return violations;
  },
};
