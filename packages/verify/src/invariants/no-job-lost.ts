import { groupBy } from '@tablequeue/typeorm/internal';
import type { EnqueueRecord, Evidence } from '../evidence/evidence.js';
import { fleetingJob } from '../workload/definitions.js';
import type { Invariant, Violation } from './invariant.js';

/** Whoever was told that a job is stored, or that its transaction is committed, finds it at its end. */
export const noJobLost: Invariant = {
  name: 'no-job-lost',
  promise: 'Every job whose enqueue was committed has come to its end.',
  check(evidence) {
    const violations: Violation[] = [];
    for (const act of evidence.all.enqueues.values()) {
      const text = mustBeThere(act, evidence) ? fate(act, evidence) : undefined;
      if (text !== undefined) {
        violations.push({ text, ids: [act.id ?? act.token] });
      }
    }
    for (const { id, kind, live } of evidence.all.jobs.values()) {
      if (live) {
        violations.push({
          text: `A job (${kind}) is still ${live.state} after attempt ${live.attempt}, when nothing hinders it.`,
          ids: [id],
        });
      }
    }
    violations.push(...lostCommits(evidence));
    return violations;
  },
};

/** The database itself has lost them: a server that does not flush its commits and went down. */
function lostCommits({ all }: Evidence): Violation[] {
  const acts = groupBy(all.enqueues.values(), ({ transaction }) => transaction);
  return [...all.transactions].flatMap(([name, { committedAt }]) => {
    const own = acts.get(name) ?? [];
    // What was enqueued in an undone part has no row, so one is enough.
    return committedAt === undefined || own.some(({ token }) => all.orders.has(token))
      ? []
      : [
          {
            text: 'The server has confirmed the commit of a transaction, and nothing of it is there.',
            ids: own.map(({ id, token }) => id ?? token),
          },
        ];
  });
}

function mustBeThere({ way, token, transaction, id, created }: EnqueueRecord, { all }: Evidence): boolean {
  return way !== 'handler' && (transaction === undefined ? id !== undefined && created : all.orders.has(token));
}

function fate({ token, kind, way }: EnqueueRecord, { byToken }: Evidence): string | undefined {
  const job = byToken.get(token);
  const leavesNothing = kind === fleetingJob.name;
  if (leavesNothing && job?.calls.some(({ returned }) => returned)) {
    return undefined;
  }
  if (!job?.final && !job?.live) {
    return `A job (${kind}, enqueued ${WAYS[way]}) is gone${leavesNothing ? ', and no attempt has succeeded' : ''}.`;
  }
  return undefined;
}

const WAYS = {
  alone: 'by itself',
  bulk: 'with many',
  transaction: 'in a transaction that was committed',
  savepoint: 'in a part of a transaction that was committed',
  group: 'in a group',
  handler: 'by a handler',
} as const;
