import type { Invariant } from './invariant.js';

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
