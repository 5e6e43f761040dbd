import { isTransactional } from '../workload/events.js';
import type { Invariant, Violation } from './invariant.js';

/** Producers write a row in each transaction and savepoint, which shows whether it was committed. */
export const noRolledBackJob: Invariant = {
  name: 'no-rolled-back-job',
  guarantee: 'No job of a rolled-back transaction exists or has run.',
  check: ({ all, byToken }) =>
    [...all.enqueues.values()].flatMap(({ token, kind, transaction, process }) => {
      const job = transaction === undefined || all.orders.has(token) ? undefined : byToken.get(token);
      const count = job?.calls.length ?? 0;
      return job
        ? [
            {
              text: `A job (${kind}) of a transaction that ${process} rolled back exists; it had ${count} attempts.`,
              ids: [job.id],
            },
          ]
        : [];
    }),
};

/** A producer records the commit of a transaction before it sends COMMIT. */
export const noneBeforeCommit: Invariant = {
  name: 'none-before-commit',
  guarantee: 'No job ran before its transaction was committed.',
  check: ({ all, byToken }) =>
    [...all.enqueues.values()].flatMap(({ token, kind, transaction }) => {
      const first = byToken.get(token)?.calls[0];
      const committingAt = all.transactions.get(transaction ?? '')?.committingAt;
      return first && committingAt !== undefined && first.from < committingAt
        ? [
            {
              text:
                `A job (${kind}) started ${(committingAt - first.from).toFixed(1)} ms before its transaction ` +
                `was committed.`,
              ids: [byToken.get(token)!.id],
            },
          ]
        : [];
    }),
};

/** The writes and enqueues of a transactional handler are committed together with the completion of its job. */
export const effectsOnce: Invariant = {
  name: 'effects-once',
  guarantee: 'The writes and enqueues of a transactional handler exist exactly once, and only if its job succeeded.',
  check({ all, byToken }) {
    const violations: Violation[] = [];
    for (const { id, token, kind, final } of all.jobs.values()) {
      if (!isTransactional(kind)) {
        continue;
      }
      const effects = all.effects.get(token) ?? [];
      const expected = final?.state === 'succeeded' ? [final.attempt] : [];
      if (effects.join(',') !== expected.join(',')) {
        const state = final ? `has ${final.state} with attempt ${final.attempt}` : 'has not ended';
        violations.push({
          text:
            `A job with a transactional handler ${state}, but has ${effects.length} effects, of the attempts ` +
            `[${effects.join(', ')}].`,
          ids: [id],
        });
      }
    }
    for (const { token, method } of all.enqueues.values()) {
      if (method === 'handler') {
        const [parent = '', attempt] = token.split('+');
        const isCommitted = all.effects.get(parent)?.includes(Number(attempt)) ?? false;
        const follow = byToken.get(token);
        if (isCommitted !== (follow !== undefined)) {
          const error = follow
            ? 'exists, though its transaction was not committed'
            : 'is missing, though its transaction was committed';
          violations.push({
            text: `The job that a transactional handler enqueued ${error}.`,
            ids: [follow?.id ?? token],
          });
        }
      }
    }
    for (const token of all.effects.keys()) {
      // Steps of durable jobs have a part behind a slash.
      if (!byToken.has(token.split('/', 1)[0] as string)) {
        violations.push({ text: 'There is an effect of a job that does not exist.', ids: [token] });
      }
    }
    return violations;
  },
};
